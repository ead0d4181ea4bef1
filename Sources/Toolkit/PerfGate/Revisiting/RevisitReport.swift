internal import PerfModel
public import PerfReport
internal import PerfStatistics
internal import PerfStore

/// The result of one comparison.
struct RevisitResult {
  let item: RevisitItem
  /// The measured comparison; nil if it could not be measured.
  var compared: PairedComparison?
  /// The reason why it was not measured; empty if it was.
  var reason = ""

  var standing: RevisitStanding {
    guard let verdict = compared?.comparison.combined else { return .notMeasured }
    return RevisitStanding(then: item.verdictThen, now: verdict)
  }
}

/// The report on the current effect of all kept decisions.
public struct RevisitReport {
  let results: [RevisitResult]

  /// Whether nothing was measured before the user's stop.
  public var isEmpty: Bool { results.isEmpty }

  /// The exit status: done if every comparison has a verdict.
  public var status: ExitStatus {
    .worst(
      results.map { result -> ExitStatus in
        switch result.standing {
        case .undecided, .notMeasured: .inconclusive
        case .void: .void
        default: .done
        }
      })
  }

  var sentence: String {
    let alone = results.filter { $0.item.kind == .alone }
    func numbers(_ standing: RevisitStanding) -> [String] {
      alone.filter { $0.standing == standing }.map(\.item.numbers)
    }
    func clause(_ numbers: [String], _ one: String, _ several: String) -> String {
      "decision\(numbers.count == 1 ? "" : "s") \(numbers.joined(separator: ", ")) "
        + (numbers.count == 1 ? one : several)
    }
    let parts = [
      (numbers(.noLongerPays), "no longer pays", "no longer pay"),
      (numbers(.pays), "pays", "pay"),
      (numbers(.stillCosts), "still has its accepted cost", "still have their accepted costs"),
      (numbers(.costsNoMore), "no longer has a cost", "no longer have a cost"),
      (numbers(.noEffect), "has no effect", "have no effect"),
      (
        numbers(.undecided) + numbers(.void) + numbers(.notMeasured), "is undecided",
        "are undecided"
      ),
    ].filter { !$0.0.isEmpty }.map { clause($0.0, $0.1, $0.2) }
    let together = results.filter { $0.item.kind == .together }.map { result in
      "all decisions on \(result.item.scenario) together: \(result.standing.rawValue)"
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

  /// The report as a document: the sentence, then each comparison.
  public var document: Document {
    let worst: RevisitStanding =
      [.noLongerPays, .notMeasured, .undecided, .void].first { standing in
        results.contains { $0.standing == standing }
      } ?? .pays
    let rows = results.map { result -> [Table.Cell] in
      let now = result.compared?.comparison.combined.rawValue
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
            caption: "Alone: HEAD against HEAD without the change. Together: the anchor (the "
              + "revision before the first decision) against HEAD. They share --max-time.")),
      ])
  }

  /// The report for scripts.
  public var json: JSONValue {
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
