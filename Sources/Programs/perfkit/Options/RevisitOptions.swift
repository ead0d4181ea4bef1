internal import ArgumentParser
internal import PerfGate

/// The options of `perfkit decide --revisit`.
struct RevisitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compare HEAD with this revision too. Default: the base of a scenario's first kept decision.",
      valueName: "revision"))
  var anchor: String?

  @Flag(
    name: .customLong("dry-run"), help: "Print the plan and its longest time, and measure nothing.")
  var dryRun = false

  @OptionGroup
  var pairing: PairingOptions

  @OptionGroup
  var measuring: MeasuringOptions

  @OptionGroup
  var output: OutputOptions

  /// The name of a given option that needs `--revisit`; nil if none is given.
  var given: String? {
    let settings = PairingSettings()
    let options: [(name: String, isGiven: Bool)] = [
      ("--dry-run", dryRun), ("--anchor", anchor != nil), ("--max-time", measuring.maxTime != nil),
      ("--max-pairs", pairing.maxPairs != nil), ("--count", pairing.count),
      ("--cache-sim", pairing.cacheSim), ("--branch-sim", pairing.branchSim),
      ("--randomize-layout", pairing.randomizeLayout != nil),
      ("--min-pairs", pairing.minPairs != settings.minPairs),
      ("--set", !measuring.overrides.isEmpty),
      ("--quick", measuring.quick), ("--rate", measuring.rate != nil),
      ("--no-profile", measuring.noProfile), ("--allocations", measuring.allocations),
      ("--engine", measuring.engine != .auto),
    ]
    return options.first(where: \.isGiven)?.name
  }

  /// Plans and measures kept decisions, and prints the report.
  ///
  /// - Parameters:
  ///   - number: The number of the only decision to measure; nil for all.
  ///   - pages: The folder of the decisions' pages.
  ///   - global: The options of every verb.
  ///   - context: The context with the console.
  /// - Returns: The exit status: done if every comparison has a verdict.
  /// - Throws: `StoreError`, `RevisionError` or `Failure` if nothing can be planned;
  ///   `CancellationError` if the user stops before the first comparison.
  func perform(
    only number: Int?, pages: LedgerFolder, _ global: GlobalOptions, _ context: Context
  ) throws -> ExitStatus {
    let revisit = try Revisit(
      only: number, anchor: anchor, pages: pages,
      measuring: Measuring(measuring.settings(), global, context), pairing: pairing.settings)
    guard !dryRun else {
      try output.write(revisit.document, json: revisit.json, global: global, context: context)
      return .done
    }
    global.log(revisit.sentence, context)
    let report = try revisit.measure()
    guard !report.isEmpty else { return .interrupted }
    try output.write(report.document, json: report.json, global: global, context: context)
    return context.workspace.isCancelled() ? .interrupted : report.status
  }
}
