internal import PerfModel
internal import PerfReport

extension RevisitPlan {
  /// Those that can be measured.
  var possible: [RevisitItem] {
    items.filter { if case .impossible = $0.sides { false } else { true } }
  }

  /// Nanoseconds that all pairs take at most; nil when one's time is not known.
  ///
  /// One pair more than counts is made: the first one is thrown away.
  func worstCase(maxPairs: Int) -> Double? {
    let times = possible.map(\.timePerPair)
    guard !times.contains(nil) else { return nil }
    return times.compactMap(\.self).reduce(0) { $0 + $1 * Double(maxPairs + 1) }
  }

  /// The plan in one sentence.
  func sentence(maxPairs: Int, maxTime: Double?) -> String {
    let count = Wording.count(possible.count, "comparison")
    let longest = worstCase(maxPairs: maxPairs)
    let limit =
      switch (longest, maxTime) {
      case (let longest?, let limit?):
        "at most \(time(min(longest, limit + (worstCase(maxPairs: 1) ?? 0))))"
      case (let longest?, nil): "at most \(time(longest))"
      case (nil, let limit?): "at most \(time(limit))"
      case (nil, nil): "how long at most each says when it has made a pair"
      }
    return "plan: \(count) of at most \(maxPairs) pairs; \(limit), builds not counted"
  }

  private func time(_ nanoseconds: Double) -> String { NumberFormat.human(nanoseconds, .time) }

  /// The plan as a document.
  func document(maxPairs: Int, maxTime: Double?) -> Document {
    let sentence = sentence(maxPairs: maxPairs, maxTime: maxTime)
    let rows = items.map { item -> [Table.Cell] in
      let reason = if case .impossible(let reason) = item.sides { reason } else { "" }
      let longest = item.timePerPair.map { time($0 * Double(maxPairs + 1)) } ?? "not known"
      return [
        .init(item.numbers, .strong), .init(item.scenario), .init(item.kind.rawValue),
        .init(reason.isEmpty ? longest : "not measured", reason.isEmpty ? .plain : .unknown),
        .init(item.titles.base), .init(item.titles.candidate), .init(reason),
      ]
    }
    return Document(
      title: "revisit plan",
      blocks: [
        .paragraph(Wording.sentence(sentence)),
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

  /// The plan for scripts.
  func json(maxPairs: Int, maxTime: Double?) -> JSONValue {
    .object([
      "schema": "perfkit.plan/1",
      "max_pairs": .int(maxPairs),
      "max_time": maxTime.map { .number($0) } ?? .null,
      "worst_case": worstCase(maxPairs: maxPairs).map { .number($0) } ?? .null,
      "comparisons": .array(items.map(\.json)),
    ])
  }
}

extension RevisitItem {
  /// What it is about, for scripts.
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
