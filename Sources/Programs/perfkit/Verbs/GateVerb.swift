internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfRunner
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
    abstract: "Measure scenarios and judge them: budgets, and a revision or a stored baseline.",
    discussion: """
      What lies in the checkout is built and measured in pairs with the revision of --against, by
      default the merge base with the target branch. A stored baseline is compared with what is built
      already. Exits with 0 when all budgets hold and nothing regressed, 1 when a budget is broken or a gating
      metric regressed, 3 when something cannot be decided, 4 when environments differ, 2 when a
      scenario cannot be measured. verdict.json lists all of it, whatever the status.

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

  @Option(help: ArgumentHelp("Where the verdicts are written.", valueName: "file"))
  var verdict = ".perfkit/verdict.json"

  @OptionGroup(title: "For CI")
  var forCI: GateOutputs

  @OptionGroup(title: "Comparing")
  var pairing: PairingOptions

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
      sayFailed(error, context)
      throw error
    }
  }

  /// Writes that nothing could be judged: the verdict of an earlier gate must not be taken for this
  /// one's, and a CI system shows what it finds in the files.
  private func sayFailed(_ error: any Error, _ context: Context) {
    let failure =
      error is CancellationError ? Failure("It was stopped.", status: .interrupted) : Failure(error)
    let report = GateReport(
      results: [.failed("gate", failure, isOfScenario: false)], status: failure.status,
      scenarios: measuring.scenarios)
    do {
      try write(report, context)
    } catch {
      // Where the files themselves cannot be written, that is what is thrown already.
      let other = Failure(error)
      if other.message != failure.message { other.say(context.console) }
    }
  }

  /// Writes what other programs read.
  private func write(_ report: GateReport, _ context: Context) throws {
    let written = Result { try context.write(report.json.text(), to: verdict) }
    try forCI.write(report, context)
    try written.get()
  }

  private func judge(_ context: Context) throws -> ExitStatus {
    try self.measuring.checkLabel()
    let checkout = try? GitCheckout(
      containing: context.workingDirectory, variables: context.variables)
    let project = try checkout.flatMap { try ProjectFile.ofTree($0.root) } ?? ProjectFile()
    var options = self.measuring
    options.quick = options.quick || project.gate.isQuick
    options.maxTime = options.maxTime ?? project.gate.maxTime.map(DurationArgument.init)
    let measuring = Measuring(options: options, global: global, context: context)
    let target = try GateTarget(
      against ?? project.gate.against, isNone: budgetsOnly, measuring: measuring,
      checkout: checkout)
    // Two revisions are measured by the files of the repository, whatever folder this is run in.
    let folder = target.isRevision ? project.scenarios : measuring.options.scenarios
    let library =
      target.isRevision
      ? checkout.map { ScenarioLibrary(folder: "\($0.root)/\(folder)") } ?? measuring.library
      : measuring.library
    let names = try names(project, in: library)
    let controls = Result {
      target.isRevision
        ? try ControlScenarios(of: names, general: project.controls, in: library).additional : []
    }
    func plan(_ controls: [String]) -> GatePlan {
      let variants = variant.isEmpty ? [nil] : variant.map(Optional.some)
      let items =
        names.flatMap { name in variants.map { WorstCase.Item(name, $0) } }
        + controls.map { WorstCase.Item($0) }
      return GatePlan(
        target: target, names: names, controls: controls, options: options, pairing: pairing,
        worst: WorstCase(
          of: items, maxPairs: target.isRevision ? pairing.maxPairs : nil, options: options,
          times: PairTimes(global, context),
          file: library.file))
    }
    guard !dryRun else {
      for name in names { try check(try measuring.file(name, in: library).scenario) }
      let plan = plan(try controls.get())
      try output.write(plan.document, json: plan.json, global: global, context: context)
      return .done
    }
    // A scenario that cannot be read is a result of its own.
    global.say(plan((try? controls.get()) ?? []).sentence, context)
    let judge = try target.judge(measuring, pairing: pairing)
    let store = try RunStore(path: global.storePath(context))
    let results = try judge.results(names, variants: variant, into: store)
    let status = exitStatus(results, context)
    let report = GateReport(
      results: results, status: status, scenarios: folder, note: judge.note)
    try write(report, context)
    try output.write(report.document, json: report.json, global: global, context: context)
    return status
  }

  private func names(_ project: ProjectFile, in library: ScenarioLibrary) throws -> [String] {
    let named = scenarios.isEmpty ? project.gate.scenarios : scenarios
    let names = named.isEmpty ? try library.names() : named
    guard !names.isEmpty else {
      throw Failure(
        "there is nothing to gate: no scenario in '\(library.folder)'. "
          + "Name one, or pass another --scenarios.")
    }
    return names
  }

  /// Checks that a scenario has the variants that were asked for.
  private func check(_ scenario: Scenario) throws(ScenarioError) {
    for name in variant where scenario.variant(named: name) == nil {
      throw .unknownVariant(name, scenario: scenario.name, known: scenario.variants.map(\.name))
    }
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
