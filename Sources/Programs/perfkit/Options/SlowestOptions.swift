internal import ArgumentParser
internal import PerfGate
internal import PerfModel

/// The option that compares the slowest spans of a name with those in the middle.
struct SlowestOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compare the slowest share of these spans, e.g. 1%, with the middle half of them.",
      valueName: "share"),
    transform: share)
  var slowest: Double?

  /// Returns the choice of the option.
  ///
  /// - Parameters:
  ///   - signpost: The value of --signpost.
  ///   - phase: The value of --phase.
  /// - Returns: The choice; nil without the option.
  /// - Throws: `ValidationError` unless one kind of spans is named.
  func choice(signpost: String?, phase: String?) throws -> SlowSpans.Choice? {
    guard let slowest else { return nil }
    switch (signpost, phase) {
    case (let name?, nil): return SlowSpans.Choice(name: name, kind: .signpost, share: slowest)
    case (nil, let name?): return SlowSpans.Choice(name: name, kind: .phase, share: slowest)
    case (nil, nil):
      throw ValidationError("--slowest needs spans: add --signpost NAME or --phase NAME.")
    case (.some, .some):
      throw ValidationError("--slowest takes one kind of spans: leave out --signpost or --phase.")
    }
  }

  private static func share(_ text: String) throws -> Double {
    let most = SlowSpans.largestShare
    guard let quantity = Quantity.parse(text), quantity.unit == .percent, quantity.baseValue > 0,
      quantity.baseValue <= most
    else {
      throw ValidationError(
        "--slowest must be above 0% and at most \(Quantity(baseValue: most, unit: .percent)), "
          + "e.g. 1%, not '\(text)'.")
    }
    return quantity.baseValue
  }
}

/// The options of verbs that show the slowest spans beside other results.
struct SlowSpanOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("With --slowest: compare the signposts of this name.", valueName: "name"))
  var signpost: String?

  @Option(help: ArgumentHelp("With --slowest: compare the phases of this name.", valueName: "name"))
  var phase: String?

  @OptionGroup
  var option: SlowestOption

  func validate() throws {
    if option.slowest == nil, signpost != nil || phase != nil {
      throw ValidationError(
        "\(signpost != nil ? "--signpost" : "--phase") needs --slowest, e.g. --slowest 1%.")
    }
    _ = try choice
  }

  /// The chosen spans; nil without --slowest.
  var choice: SlowSpans.Choice? {
    get throws { try option.choice(signpost: signpost, phase: phase) }
  }
}

extension SlowSpans {
  /// Selects the spans of a run.
  ///
  /// - Throws: `Failure` if the run lacks such spans or their samples.
  static func select(_ choice: Choice, of run: Run) throws -> SlowSpans {
    let spans = run.sampled.flatMap(\.spans).filter { $0.kind == choice.kind }
    try run.check(choice.name, choice.kind.name, among: Set(spans.map(\.name)).sorted())
    guard let profile = run.profile, !profile.timeline.isEmpty else {
      throw Failure(
        "run \(run.id) has no samples by time, which --slowest needs. Measure it again without "
          + "--no-profile.", status: .usage)
    }
    guard let selected = SlowSpans(of: run, choice) else {
      throw Failure(
        "run \(run.id) has \(spans.count { $0.name == choice.name }) of \(choice.kind.name) '\(choice.name)', and "
          + "--slowest needs at least \(SlowSpans.fewest). Measure more launches.", status: .usage)
    }
    return selected
  }
}
