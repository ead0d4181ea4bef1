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

  /// It in one sentence.
  var sentence: String {
    "plan: \(Wording.count(names.count, "scenario"))"
      + (controls.isEmpty ? "" : " and \(Wording.count(controls.count, "control"))")
      + " against \(target.title)\(options.quick ? ", small parameter sets" : "")"
      + (target.isRevision ? ", at most \(pairing.maxPairs) pairs each" : "") + "; " + worstCase
  }

  /// The plan as a document.
  var document: Document {
    Document(
      title: "gate plan",
      blocks: [
        .paragraph(Wording.sentence(sentence)),
        .table(
          Table(
            id: "plan", title: "Scenarios", columns: [.init("scenario"), .init("as")],
            rows: names.map { [.init($0), .init("asked for", .muted)] }
              + controls.map { [.init($0), .init("control", .muted)] })),
      ])
  }

  /// The plan for scripts.
  var json: JSONValue {
    .object([
      "schema": "perfkit.plan/1",
      "against": .string(target.title),
      "scenarios": .array(names.map { .string($0) }),
      "controls": .array(controls.map { .string($0) }),
      "quick": .bool(options.quick),
      "max_pairs": target.isRevision ? .int(pairing.maxPairs) : .null,
      "max_time": options.maxTime.map { .unsigned($0.nanoseconds) } ?? .null,
    ])
  }

  private var worstCase: String {
    guard let limit = options.maxTime else {
      return "no limit of time (--max-time sets one); each says its own when it has made a pair"
    }
    return "no launch begins after \(NumberFormat.human(Double(limit.nanoseconds), .time)), "
      + "builds not counted"
  }
}
