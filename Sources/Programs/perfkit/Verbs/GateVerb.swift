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

      Exit status: 0 if all budgets hold and nothing regressed, 1 if a budget is broken or a gating \
      metric regressed, 2 if a scenario cannot be measured, 3 if something is undecided, 4 if \
      environments differ or a control moved. verdict.json lists all results.

      Example:
        perfkit gate --quick --max-time 10min
        perfkit gate scroll-1000 --against v1.2 --inconclusive warn
        perfkit gate --budgets-only
        perfkit gate --package-benchmark --max-time 20min
      """)

  @Argument(
    help: ArgumentHelp(
      "Names of scenarios. Default: perfkit.yml's, or all.", valueName: "scenario"))
  var scenarios: [String] = []

  @OptionGroup
  var suites: SuiteOptions

  @Option(
    help: ArgumentHelp(
      "Compare with this revision or baseline. If both have the name, use commit:NAME or "
        + "baseline:NAME. Default: perfkit.yml's, or the merge base with the target branch.",
      valueName: "name"))
  var against: String?

  @Flag(name: .customLong("budgets-only"), help: "Judge budgets only, and compare with nothing.")
  var budgetsOnly = false

  @Flag(
    name: .customLong("dry-run"), help: "Print the plan and its longest time, and measure nothing.")
  var dryRun = false

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

  func validate() throws {
    guard against == nil || !budgetsOnly else {
      throw ValidationError("--budgets-only compares with nothing: leave out --against.")
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
        files.write(
          Failure(measuring.redaction.redaction(failure.message), status: failure.status), context)
      }
      throw error
    }
  }

  private func judge(_ context: Context) throws -> ExitStatus {
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
        measuring: measuring, pairing: pairing.settings)
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

  /// Writes and prints a report, and pushes its runs.
  ///
  /// - Returns: The status of the gate, as `--inconclusive` changes it.
  private func finish(
    _ judged: GateReport, _ address: HubAddress?, _ context: Context
  ) throws -> ExitStatus {
    var report = judged.redacted(by: measuring.redaction.redaction)
    if report.status == .inconclusive, inconclusive != .fail {
      report.status = .done
      if inconclusive == .warn {
        context.console.error("perfkit: warning: the gate is undecided; see its results.")
      }
    }
    try files.write(report, context)
    try output.write(
      report.document, json: report.json, short: [report.document(length.detail())],
      detail: length.detail(), global: global, context: context)
    hub.push(judged.measured, to: address, global, context)
    return report.status
  }
}
