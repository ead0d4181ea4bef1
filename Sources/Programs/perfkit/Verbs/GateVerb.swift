internal import ArgumentParser
internal import PerfReport
internal import PerfStore

/// The verb `perfkit gate [SCENARIO...]`.
struct GateVerb: Verb {
  /// What an undecided gate exits with.
  enum Inconclusive: String, ExpressibleByArgument, CaseIterable {
    case pass
    case warn
    case fail
  }

  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Measure scenarios and judge them: budgets, and a revision or a stored baseline.",
    discussion: """
      What lies in the checkout is built and measured in pairs with the revision of --against, by \
      default the merge base with the target branch. A stored baseline is compared with what is built \
      already. Exits with 0 when all budgets hold and nothing regressed, 1 when a budget is broken or a \
      gating metric regressed, 3 when something cannot be decided, 4 when environments differ or a control \
      moved, 2 when a scenario cannot be measured. verdict.json lists all of it, whatever the status.

      Without a scenario all are judged that perfkit.yml names, or that there are.

      Example:
        perfkit gate --quick --max-time 10min
        perfkit gate scroll-1000 --against v1.2 --inconclusive warn
        perfkit gate --budgets-only
      """)

  @Argument(help: ArgumentHelp("Names of scenarios; none are all.", valueName: "scenario"))
  var scenarios: [String] = []

  @Option(
    help: ArgumentHelp(
      "A revision or a stored baseline to compare with; commit:NAME or baseline:NAME where both "
        + "are called so.", valueName: "name"))
  var against: String?

  @Flag(name: .customLong("budgets-only"), help: "Compare with nothing.")
  var budgetsOnly = false

  @Flag(
    name: .customLong("dry-run"), help: "Only say what would be measured, and how long at most.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "A variant; may be repeated. Default: the scenario's own.", valueName: "name"))
  var variant: [String] = []

  @Option(help: "What an undecided gate does: pass (0), warn (0, and says so), or fail (3).")
  var inconclusive = Inconclusive.fail

  @OptionGroup(title: "For CI")
  var files: GateOutputs

  @OptionGroup(title: "Comparing")
  var pairing: PairingOptions

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    guard against == nil || !budgetsOnly else {
      throw ValidationError("--budgets-only compares with nothing: leave out --against.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    do {
      return try judge(context)
    } catch {
      // A plan is no gate: what an earlier one found stays.
      if !dryRun {
        files.write(
          error is CancellationError
            ? Failure("It was stopped.", status: .interrupted) : Failure(error), context)
      }
      throw error
    }
  }

  private func judge(_ context: Context) throws -> ExitStatus {
    let request = try context.unlessStopped { try GateRequest(self, in: context) }
    let plan = request.plan
    guard !dryRun else {
      try request.check()
      try output.write(plan.document, json: plan.json, global: global, context: context)
      return .done
    }
    global.say(plan.sentence, context)
    let judge = try request.target.judge(request.measuring, pairing: pairing)
    let results = try judge.results(
      request.names, variants: variant, into: try RunStore(path: global.storePath(context)))
    let report = GateReport(
      results: results, status: exitStatus(results, context), scenarios: request.folder,
      note: judge.note)
    try files.write(report, context)
    try output.write(report.document, json: report.json, global: global, context: context)
    return report.status
  }

  private func exitStatus(_ results: [GateResult], _ context: Context) -> ExitStatus {
    if context.cancellation.isRequested() { return .interrupted }
    let worst = ExitStatus.worst(results.map(\.status))
    guard worst == .inconclusive else { return worst }
    switch inconclusive {
    case .fail: return worst
    case .pass: return .done
    case .warn:
      context.console.error("perfkit: warning: the gate could not decide everything; see above.")
      return .done
    }
  }
}
