internal import PerfModel
internal import PerfReport
internal import PerfStore

/// What came of one comparison.
struct RevisitResult {
  /// What was looked at.
  let item: RevisitItem
  /// What was measured; nil where nothing could be.
  let compared: PairedComparison?
  /// Why nothing was measured; empty where something was.
  let reason: String

  /// Creates the result of what was measured.
  init(item: RevisitItem, compared: PairedComparison) {
    self.item = item
    self.compared = compared
    reason = ""
  }

  /// Creates the result of what was not.
  init(item: RevisitItem, reason: String) {
    self.item = item
    compared = nil
    self.reason = reason
  }

  /// What became of it.
  var standing: RevisitStanding {
    guard let verdict = compared?.comparison.verdict else { return .notMeasured }
    return RevisitStanding(then: item.verdictThen, now: verdict)
  }
}

/// What became of all kept decisions.
struct RevisitReport {
  /// The results.
  let results: [RevisitResult]

  /// What the program exits with: whether something could not be told.
  var status: ExitStatus {
    .worst(
      results.map { result -> ExitStatus in
        switch result.standing {
        case .undecided, .notMeasured: .inconclusive
        case .void: .void
        default: .done
        }
      })
  }

  /// Which decisions no longer pay, in one sentence.
  var sentence: String {
    let alone = results.filter { $0.item.kind == .alone }
    func numbers(_ standing: RevisitStanding) -> [String] {
      alone.filter { $0.standing == standing }.map(\.item.numbers)
    }
    func words(_ numbers: [String], _ one: String, _ several: String) -> String {
      "decision\(numbers.count == 1 ? "" : "s") \(numbers.joined(separator: ", ")) "
        + (numbers.count == 1 ? one : several)
    }
    let parts = [
      (numbers(.noLongerPays), "no longer pays", "no longer pay"),
      (numbers(.pays), "pays", "pay"),
      (numbers(.stillCosts), "still costs what was accepted", "still cost what was accepted"),
      (numbers(.costsNoMore), "costs nothing any more", "cost nothing any more"),
      (numbers(.noEffect), "has no effect", "have no effect"),
      (
        numbers(.undecided) + numbers(.void) + numbers(.notMeasured), "cannot be told",
        "cannot be told"
      ),
    ].filter { !$0.0.isEmpty }.map { words($0.0, $0.1, $0.2) }
    let together = results.filter { $0.item.kind == .together }.map { result in
      "together \(result.item.numbers) of \(result.item.scenario): \(result.standing.rawValue)"
    }
    return Wording.sentence((parts + together).joined(separator: "; "))
  }

  private func tone(_ standing: RevisitStanding) -> Tone {
    switch standing {
    case .pays, .costsNoMore: .good
    case .noLongerPays: .bad
    case .stillCosts, .noEffect: .muted
    case .undecided, .void, .notMeasured: .unknown
    }
  }

  /// The verdict first, then each comparison.
  var document: Document {
    let worst: RevisitStanding =
      [.noLongerPays, .notMeasured, .undecided, .void].first { standing in
        results.contains { $0.standing == standing }
      } ?? .pays
    let rows = results.map { result -> [Table.Cell] in
      let now = result.compared?.comparison.verdict.rawValue
      let detail = result.compared.map { compared in
        "\(compared.document().verdictSentence) (comparison \(compared.stored.id))"
      }
      return [
        .init(result.item.numbers, .strong), .init(result.item.scenario),
        .init(result.item.kind.rawValue), .init(result.item.verdictThen.rawValue),
        .init(now ?? "-"), .init(result.standing.rawValue, tone(result.standing)),
        .init(detail ?? result.reason),
      ]
    }
    return Document(
      title: "decisions revisited",
      blocks: [
        .verdict(sentence, tone(worst)),
        .table(
          Table(
            id: "revisited", title: "Kept decisions",
            columns: [
              .init("decision"), .init("scenario"), .init("kind"), .init("then"), .init("now"),
              .init("standing"), .init("because", isDetail: true),
            ], rows: rows,
            caption: "Alone: what there is now against the same without the change. Together: the "
              + "anchor, before the first of them, against what there is now.")),
      ])
  }

  /// All of it for scripts.
  var json: JSONValue {
    .object([
      "schema": "perfkit.revisit/1",
      "sentence": .string(sentence),
      "results": .array(
        results.map { result in
          .object([
            "item": result.item.json,
            "then": .string(result.item.verdictThen.rawValue),
            "standing": .string(result.standing.rawValue),
            "reason": result.reason.isEmpty ? .null : .string(result.reason),
            "comparison": result.compared.map { $0.document().json } ?? .null,
          ])
        }),
    ])
  }
}
