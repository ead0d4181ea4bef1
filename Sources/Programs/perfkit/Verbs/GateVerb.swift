internal import ArgumentParser
internal import PerfGate
internal import PerfHub
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit gate [SCENARIO...]`.
struct GateVerb: Verb {
  /// The effect of an undecided gate.
  enum Inconclusive: String, ExpressibleByArgument, CaseIterable {
    case pass
    case warn
    case fail
  }

  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Measure scenarios and judge them by budgets and against a revision or baseline.",
    discussion: """
      The work tree is built and measured in pairs with the revision of --against, by default the \
      merge base with the target branch. A stored baseline is compared with the existing build, \
      measured with the scenario's own number of launches. Without a scenario, perfkit.yml's are \
      judged, or all.

      Exit status: 0 if all budgets hold and nothing regressed, 1 if a budget is broken, a gating \
      metric regressed or the change loosens the gate, 2 if a scenario cannot be measured, 3 if \
      something is undecided, 4 if environments differ or a control moved. verdict.json lists all \
      results.

      Example:
        perfkit gate --quick --max-time 10min
        perfkit gate scroll-1000 --against v1.2 --inconclusive warn
        perfkit gate --budgets-only
        perfkit gate --package-benchmark --max-time 20min
        perfkit gate --shard 2/8
        perfkit gate --collect .perfkit --comment comment.md
        perfkit gate --collect --hub postgresql://db.example.org/perfkit
      """)

  @Argument(
    help: ArgumentHelp(
      "Names of scenarios. Default: perfkit.yml's, or all.", valueName: "scenario"))
  var scenarios: [String] = []

  @OptionGroup
  var suites: SuiteOptions

  @Option(
    help: ArgumentHelp(
      "Compare with this revision or baseline. A...B is the merge base of A and B. If a revision and a "
        + "baseline have the name, use commit:NAME or baseline:NAME. Default: perfkit.yml's, or the "
        + "merge base with the target branch.",
      valueName: "name"))
  var against: String?

  @Flag(name: .customLong("budgets-only"), help: "Judge budgets only, and compare with nothing.")
  var budgetsOnly = false

  @Flag(
    name: .customLong("dry-run"), help: "Print the plan and its longest time, and measure nothing.")
  var dryRun = false

  @Option(
    defaultAsFlag: ShardPlace.hub, parsing: .next,
    help: ArgumentHelp(
      "Measure nothing, and join the results that the shards of a gate left in this folder and the "
        + "folders in it; without a folder, those of the commit on the hub.", valueName: "dir"))
  var collect: ShardPlace?

  @Option(
    help: ArgumentHelp(
      "Measure this variant; repeatable. Default: the scenario's.", valueName: "name"))
  var variant: [String] = []

  @Option(
    help: ArgumentHelp(
      "Exit of an undecided gate: pass (0), warn (0 and a warning) or fail (3).",
      valueName: "effect"))
  var inconclusive = Inconclusive.fail

  @OptionGroup(title: "For CI")
  var files: GateOutputs

  @OptionGroup(title: "Comparing with a revision")
  var pairing: PairingOptions

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "Output")
  var length: DetailOptions

  @OptionGroup(title: "General")
  var hub: HubOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  var secrets: Redaction { measuring.redaction.redaction }

  func validate() throws {
    guard against == nil || !budgetsOnly else {
      throw ValidationError("--budgets-only compares with nothing: leave out --against.")
    }
    guard
      collect == nil
        || scenarios.isEmpty && against == nil && variant.isEmpty && files.shard == nil
          && !budgetsOnly && !dryRun && !suites.packageBenchmark
    else {
      throw ValidationError(
        "--collect measures nothing: leave out scenarios, --against, --variant, --shard, "
          + "--budgets-only, --dry-run and --package-benchmark.")
    }
    guard files.shard == nil || !suites.packageBenchmark else {
      throw ValidationError(
        "--shard splits scenarios, and the benchmarks of package-benchmark are known after the build: "
          + "leave out --shard, or name the targets of each machine.")
    }
    guard !suites.packageBenchmark || !budgetsOnly && !dryRun && variant.isEmpty else {
      throw ValidationError(
        "benchmarks of package-benchmark have no budgets and no variants, and their number is known "
          + "after the build: leave out --budgets-only, --variant and --dry-run.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    do {
      return try judge(context)
    } catch {
      // A plan does not replace the verdict of an earlier gate.
      if !dryRun {
        let failure =
          error is CancellationError
          ? Failure("The gate was stopped.", status: .interrupted) : Failure(error)
        let shown = Failure(
          measuring.redaction.redaction(failure.message), status: failure.status)
        files.write(shown, context)
        if let address = try? hub.address(context) {
          pushShard(of: .failed(shown), to: address, context)
        }
      }
      throw error
    }
  }

  private func judge(_ context: Context) throws -> ExitStatus {
    if let collect { return try join(collect, context) }
    let measuring = try Measuring(measuring.settings(), global, context)
    let address = try hub.address(context)
    if suites.packageBenchmark {
      let gate = SuiteGate(
        benchmarks: scenarios, against: against, measuring: measuring, pairing: pairing.settings)
      return try finish(
        gate.judge { try RunStore(path: global.storePath(context)) }, address, context)
    }
    let request = try context.workspace.unlessStopped {
      try GateRequest(
        scenarios: scenarios, variants: variant, against: against, isBudgetsOnly: budgetsOnly,
        measuring: measuring, pairing: pairing.settings, shard: files.shard)
    }
    let plan = request.plan
    guard !dryRun else {
      try request.check()
      try output.write(plan.document, json: plan.json, global: global, context: context)
      return .done
    }
    global.log(plan.sentence, context)
    return try finish(
      request.judge { try RunStore(path: global.storePath(context)) }, address, context)
  }

  /// Joins the shards of a folder or of the hub.
  private func join(_ place: ShardPlace, _ context: Context) throws -> ExitStatus {
    var gate = try collection(place, context)
    // A missing shard is no undecided metric.
    if !gate.isIncomplete { gate.digest.status = settled(gate.digest.status, context) }
    try write(gate.digest, of: nil, gate.document, context)
    return gate.digest.status
  }

  /// Writes and prints a report, and pushes its runs.
  ///
  /// - Returns: The status of the gate, as `--inconclusive` changes it.
  private func finish(
    _ judged: GateReport, _ address: HubAddress?, _ context: Context
  ) throws -> ExitStatus {
    let measured = judged.redacted(by: measuring.redaction.redaction)
    var report = measured
    report.status = settled(report.status, context)
    let digest = report.shown
    try write(digest, of: measured, { report.document($0, as: digest) }, context)
    if let address { pushShard(of: measured, to: address, context) }
    hub.push(judged.measured, to: address, global, context)
    return report.status
  }

  /// Returns a status as `--inconclusive` changes it.
  private func settled(_ status: ExitStatus, _ context: Context) -> ExitStatus {
    guard status == .inconclusive, inconclusive != .fail else { return status }
    if inconclusive == .warn {
      context.console.error("perfkit: warning: the gate is undecided; see its results.")
    }
    return .done
  }

  private func write(
    _ digest: GateDigest, of part: GateReport?, _ document: (Detail) -> Document,
    _ context: Context
  ) throws {
    try files.write(digest, of: part, context)
    try output.write(
      document(.all), json: digest.json, short: [document(length.detail())],
      detail: length.detail(), global: global, context: context)
  }
}
