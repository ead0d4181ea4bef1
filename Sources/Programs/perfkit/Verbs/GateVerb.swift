internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfScenario
internal import PerfStatistics
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
    abstract: "Measure scenarios and judge them: budgets, and a stored baseline.",
    discussion: """
      Exits with 0 when all budgets hold and nothing regressed, 1 when a budget is broken or a gating
      metric regressed, 3 when something cannot be decided, 4 when environments differ, 2 when a
      scenario cannot be measured. verdict.json lists all of it, whatever the status.

      Without --against only the budgets are judged. Without a scenario all of --scenarios are.

      Example:
        perfkit gate scroll-1000 --quick
        perfkit gate --against main --inconclusive warn
      """)

  @Argument(help: ArgumentHelp("Names of scenarios; none are all.", valueName: "scenario"))
  var scenarios: [String] = []

  @Option(help: ArgumentHelp("A stored baseline to compare with.", valueName: "baseline"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "A variant; may be repeated. Default: the scenario's own.", valueName: "name"))
  var variant: [String] = []

  @Option(help: "What an undecided gate does: pass (0), warn (0, and says so), or fail (3).")
  var inconclusive = Inconclusive.fail

  @Option(help: ArgumentHelp("Where the verdicts are written.", valueName: "file"))
  var verdict = ".perfkit/verdict.json"

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    do {
      return try judge(context)
    } catch {
      // The verdict of an earlier gate must not be taken for this one's.
      let failure = error as? Failure
      let report = GateReport(
        results: [
          GateResult(
            subject: "gate", summary: nil, comparison: nil, note: failure?.message ?? "\(error)",
            status: failure?.status ?? .failed)
        ], status: failure?.status ?? .failed)
      try context.write(report.json.text(), to: verdict)
      throw error
    }
  }

  private func judge(_ context: Context) throws -> ExitStatus {
    try measuring.checkLabel()
    let gate = Gate(
      measuring: Measuring(options: measuring, global: global, context: context),
      baseline: against)
    let names = scenarios.isEmpty ? try gate.measuring.library.names() : scenarios
    guard !names.isEmpty else {
      throw Failure(
        "there is nothing to gate: no scenario in '\(measuring.scenarios)'. "
          + "Name one, or pass another --scenarios.")
    }
    let store = try RunStore(path: global.storePath(context))
    let results = try gate.judge(names, variants: variant, into: store)
    let status = exitStatus(results, context)
    let report = GateReport(results: results, status: status)
    try context.write(report.json.text(), to: verdict)
    try output.write(report.document, json: report.json, global: global, context: context)
    return status
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
