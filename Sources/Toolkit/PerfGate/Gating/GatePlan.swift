internal import PerfModel
public import PerfReport

/// The plan of a gate.
public struct GatePlan {
  let target: GateTarget
  let names: [String]
  /// The controls that are measured in addition.
  let controls: [String]
  let isQuick: Bool
  let pairing: PairingSettings
  let hasTime: Bool
  let worst: WorstCase
  /// The shard that is planned; nil for the whole gate.
  let shard: GateShard?

  /// The plan in one sentence.
  public var sentence: String {
    "plan: " + (shard.map { "\($0.title) with " } ?? "")
      + Self.count(scenarios: names.count, controls: controls.count)
      + " against \(target.title)\(isQuick ? ", small parameter sets" : "")"
      + (target.isRevision
        ? ", \(pairing.limit(hasTime: hasTime))" : ", with the programs that are built already")
      + "; " + worst.sentence(isPaired: target.isRevision)
  }

  /// Returns the number of scenarios and controls in words.
  public static func count(scenarios: Int, controls: Int) -> String {
    Wording.count(scenarios, "scenario")
      + (controls == 0 ? "" : " and \(Wording.count(controls, "control"))")
  }

  /// The plan as a document.
  public var document: Document {
    Document(
      title: "gate plan",
      blocks: [
        .paragraph(Wording.sentence(sentence)),
        .table(
          Table(
            id: "plan", title: "Scenarios",
            columns: [.init("scenario"), .init("as"), .init("at most", .trailing)],
            rows: names.map { row($0, "requested") } + controls.map { row($0, "control") })),
      ])
  }

  private func row(_ scenario: String, _ role: String) -> [Table.Cell] {
    [.init(scenario), .init(role, .muted), .init(worst.text(of: scenario) ?? "unknown")]
  }

  /// The plan for scripts.
  public var json: JSONValue {
    worst.plan([
      "against": .string(target.title),
      "scenarios": .array(names.map { .string($0) }),
      "controls": .array(controls.map { .string($0) }),
      "quick": .bool(isQuick),
      "shard": .optional(shard?.description),
      "max_pairs": target.isRevision ? .optional(pairing.maxPairs) : .null,
    ])
  }
}
