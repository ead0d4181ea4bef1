internal import PerfModel
internal import PerfReport

/// What a gate is going to do, before it does it.
struct GatePlan {
  /// What is compared with.
  let target: GateTarget
  /// The scenarios.
  let names: [String]
  /// Those that are measured beside them, since the change cannot reach them.
  let controls: [String]
  /// How they are measured.
  let options: MeasuringOptions
  /// How pairs are made.
  let pairing: PairingOptions
  /// How long it takes at most.
  let worst: WorstCase

  /// It in one sentence.
  var sentence: String {
    "plan: " + Self.count(scenarios: names.count, controls: controls.count)
      + " against \(target.title)\(options.quick ? ", small parameter sets" : "")"
      + (target.isRevision ? ", at most \(pairing.maxPairs) pairs each" : "")
      + "; " + worst.sentence(isPaired: target.isRevision)
  }

  /// Returns how much is measured, in words.
  static func count(scenarios: Int, controls: Int) -> String {
    Wording.count(scenarios, "scenario")
      + (controls == 0 ? "" : " and \(Wording.count(controls, "control"))")
  }

  /// The plan as a document.
  var document: Document {
    Document(
      title: "gate plan",
      blocks: [
        .paragraph(Wording.sentence(sentence)),
        .table(
          Table(
            id: "plan", title: "Scenarios",
            columns: [.init("scenario"), .init("as"), .init("at most", .trailing)],
            rows: names.map { row($0, "asked for") } + controls.map { row($0, "control") })),
      ])
  }

  private func row(_ scenario: String, _ role: String) -> [Table.Cell] {
    [.init(scenario), .init(role, .muted), .init(worst.text(of: scenario) ?? "not known")]
  }

  /// The plan for scripts.
  var json: JSONValue {
    worst.plan([
      "against": .string(target.title),
      "scenarios": .array(names.map { .string($0) }),
      "controls": .array(controls.map { .string($0) }),
      "quick": .bool(options.quick),
      "max_pairs": target.isRevision ? .int(pairing.maxPairs) : .null,
    ])
  }
}
