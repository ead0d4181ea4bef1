internal import ArgumentParser
internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// The options of `perfkit decide --revisit`.
struct RevisitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What is compared with together. Default: the base of a scenario's first kept decision.",
      valueName: "revision"))
  var anchor: String?

  @Flag(
    name: .customLong("dry-run"), help: "Only say what would be measured, and how long at most.")
  var dryRun = false

  @OptionGroup
  var pairing: PairingOptions

  @OptionGroup
  var measuring: MeasuringOptions

  @OptionGroup
  var output: OutputOptions

  func validate() throws { try measuring.checkPairs() }

  /// An option that was given, and that says how to measure; nil when there is none.
  var given: String? {
    let plain = PairingOptions.defaultPairs
    let options: [(name: String, isGiven: Bool)] = [
      ("--dry-run", dryRun), ("--anchor", anchor != nil), ("--max-time", measuring.maxTime != nil),
      ("--max-pairs", pairing.maxPairs != plain.most),
      ("--min-pairs", pairing.minPairs != plain.least), ("--set", !measuring.overrides.isEmpty),
      ("--quick", measuring.quick), ("--rate", measuring.rate != nil),
      ("--no-profile", measuring.noProfile), ("--allocations", measuring.allocations),
    ]
    return options.first(where: \.isGiven)?.name
  }

  /// Plans, measures and shows.
  ///
  /// - Parameters:
  ///   - number: The only decision that is looked at; nil for all.
  ///   - global: With the store.
  ///   - context: With the folder of the checkout.
  /// - Returns: Done when everything could be told.
  /// - Throws: `StoreError`, `RevisionError` or `Failure` when nothing can be planned; `CancellationError`
  ///   when the user stopped the planning.
  func perform(
    only number: Int?, _ global: GlobalOptions, _ context: Context
  ) throws -> ExitStatus {
    let measuring = Measuring(options: measuring, global: global, context: context)
    let pages = LedgerFolder(in: context)
    let ledger = try Ledger.decisions(inStoreAt: global.storePath(context), and: pages)
    // Pages that came with a checkout need no store that was there before.
    let store =
      try ledger.isEmpty
      ? global.existingStore(context) : RunStore(path: global.storePath(context))
    let (checkout, plan) = try context.unlessStopped {
      let checkout = try? GitCheckout(
        containing: context.workingDirectory, variables: context.variables,
        isCancelled: context.cancellation.isRequested)
      let plan = try RevisitPlan(
        ledger, only: number, anchor: anchor, checkout: checkout, store: store)
      return (checkout, plan)
    }
    if plan.hasRevisions { try measuring.options.checkRevisions() }
    let times = PairTimes(in: store)
    let library = try library(of: plan, measuring, checkout)
    func worst(_ items: [RevisitItem]) -> WorstCase {
      WorstCase(
        of: items.map(\.measured), maxPairs: pairing.maxPairs, options: measuring.options,
        times: times, file: library.file)
    }
    guard !dryRun else {
      try output.write(
        plan.document(maxPairs: pairing.maxPairs, worst: worst),
        json: plan.json(maxPairs: pairing.maxPairs, worst(plan.possible)), global: global,
        context: context)
      return .done
    }
    global.say(plan.sentence(maxPairs: pairing.maxPairs, worst(plan.possible)), context)
    let report = RevisitReport(
      results: try Revisiting(measuring: measuring, pairing: pairing).measure(plan, into: store))
    guard !report.results.isEmpty else { return .interrupted }
    try output.write(report.document, json: report.json, global: global, context: context)
    return context.cancellation.isRequested() ? .interrupted : report.status
  }

  /// The scenario files as they are now: of revisions those of the repository.
  private func library(
    of plan: RevisitPlan, _ measuring: Measuring, _ checkout: GitCheckout?
  ) throws -> ScenarioLibrary {
    guard plan.hasRevisions, let checkout, let project = try ProjectFile.ofTree(checkout.root)
    else { return measuring.library }
    return project.library(ofTree: checkout.root)
  }
}
