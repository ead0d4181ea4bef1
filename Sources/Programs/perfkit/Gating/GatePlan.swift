internal import PerfModel
internal import PerfReport

/// What a gate is going to do, before it does it.
struct GatePlan {
  /// What is compared with.
  let target: GateTarget
  /// The scenarios.
  let names: [String]
  /// How they are measured.
  let options: MeasuringOptions
  /// How pairs are made.
  let pairing: PairingOptions

  /// It in one sentence.
  var sentence: String {
    let count = "\(names.count) scenario\(names.count == 1 ? "" : "s")"
    return "plan: \(count) against \(target.title)\(options.quick ? ", small parameter sets" : "")"
      + (isPaired ? ", at most \(pairing.maxPairs) pairs each" : "") + "; " + worstCase
  }

  /// The plan as a document.
  var document: Document {
    Document(
      title: "gate plan",
      blocks: [
        .paragraph(Wording.sentence(sentence)),
        .table(
          Table(
            id: "plan", title: "Scenarios", columns: [.init("scenario")],
            rows: names.map { [.init($0)] })),
      ])
  }

  /// The plan for scripts.
  var json: JSONValue {
    .object([
      "schema": "perfkit.plan/1",
      "against": .string(target.title),
      "scenarios": .array(names.map { .string($0) }),
      "quick": .bool(options.quick),
      "max_pairs": isPaired ? .int(pairing.maxPairs) : .null,
      "max_time": options.maxTime.map { .unsigned($0.nanoseconds) } ?? .null,
    ])
  }

  private var isPaired: Bool { if case .revision = target { true } else { false } }

  private var worstCase: String {
    guard let limit = options.maxTime else {
      return "no limit of time (--max-time sets one); each says its own when it has made a pair"
    }
    return "no launch begins after \(NumberFormat.human(Double(limit.nanoseconds), .time)), "
      + "builds not counted"
  }
}
