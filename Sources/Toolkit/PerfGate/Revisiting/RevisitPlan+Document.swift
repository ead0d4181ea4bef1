internal import PerfModel
internal import PerfReport

extension RevisitPlan {
  /// The comparisons that can be measured.
  var possible: [RevisitItem] {
    items.filter { if case .impossible = $0.sides { false } else { true } }
  }

  /// Whether revisions are measured, not only variants.
  var hasRevisions: Bool {
    items.contains { if case .revisions = $0.sides { true } else { false } }
  }

  /// Returns the plan in one sentence, with the longest time of the possible comparisons.
  func sentence(maxPairs: Int, _ worst: WorstCase) -> String {
    let count = Wording.count(possible.count, "comparison")
    return "plan: \(count) of at most \(maxPairs) pairs; \(worst.sentence(isPaired: true))"
  }

  /// Returns the plan as a document; `worst` returns the longest time of some comparisons.
  func document(maxPairs: Int, worst: ([RevisitItem]) -> WorstCase) -> Document {
    let rows = items.map { item -> [Table.Cell] in
      let reason = if case .impossible(let reason) = item.sides { reason } else { "" }
      let longest = worst([item]).text(of: item.scenario) ?? "unknown"
      return [
        .init(item.numbers, .strong), .init(item.scenario), .init(item.kind.rawValue),
        .init(reason.isEmpty ? longest : "not measured", reason.isEmpty ? .plain : .unknown),
        .init(item.titles.base), .init(item.titles.candidate), .init(reason),
      ]
    }
    return Document(
      title: "revisit plan",
      blocks: [
        .paragraph(Wording.sentence(sentence(maxPairs: maxPairs, worst(possible)))),
        .table(
          Table(
            id: "plan", title: "Comparisons",
            columns: [
              .init("decision"), .init("scenario"), .init("kind"), .init("at most", .trailing),
              .init("base", isDetail: true), .init("candidate", isDetail: true),
              .init("reason", isDetail: true),
            ], rows: rows)),
      ])
  }

  /// Returns the plan for scripts, with the longest time of the possible comparisons.
  func json(maxPairs: Int, _ worst: WorstCase) -> JSONValue {
    worst.plan(["max_pairs": .int(maxPairs), "comparisons": .array(items.map(\.json))])
  }
}

extension RevisitItem {
  /// The scenario and variants, for an estimate of the time.
  var measured: WorstCase.Item {
    var item =
      switch sides {
      case .revisions(_, _, let variant): WorstCase.Item(scenario, variant)
      case .variants(let base, let candidate): WorstCase.Item(scenario, base, candidate)
      case .impossible: WorstCase.Item(scenario)
      }
    item.timePerPair = timePerPair
    return item
  }

  /// The comparison for scripts.
  var json: JSONValue {
    let reason: JSONValue = if case .impossible(let text) = sides { .string(text) } else { .null }
    return .object([
      "decisions": .array(decisions.map { .int($0.number) }),
      "scenario": .string(scenario),
      "kind": .string(kind.rawValue),
      "base": .string(titles.base),
      "candidate": .string(titles.candidate),
      "time_per_pair": timePerPair.map { .number($0) } ?? .null,
      "reason": reason,
    ])
  }
}
