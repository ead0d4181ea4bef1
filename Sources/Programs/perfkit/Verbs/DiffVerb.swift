internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// The verb `perfkit diff [A] [B]` or `perfkit diff -- COMMAND -- COMMAND`.
struct DiffVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Measure two revisions, variants or commands in pairs, and report the changes.",
    discussion: """
      A and B are git revisions, or WORKTREE for the checkout with its changes. The default is HEAD \
      against WORKTREE. A...B compares the merge base of A and B with B, as in git diff. Each revision \
      is built in its own work tree, by the nearest perfkit.yml. With two --variant and no revision, \
      the existing build is measured. Two commands, each after --, need no scenario file; --command \
      measures one command in the trees of two revisions. A stopped comparison continues when the \
      command is repeated.

      Example:
        perfkit diff HEAD~1 HEAD --scenario palette-extract
        perfkit diff main..WORKTREE --scenario scroll-1000 --max-time 5min
        perfkit diff --scenario scroll-1000 --variant naive --variant optimised
        perfkit diff -- ./import-old books.csv -- ./import-new books.csv
        perfkit diff --command "python3 bench.py" HEAD~1 HEAD
        perfkit diff main WORKTREE --package-benchmark --scenario MyBenchmarks
      """)

  @Argument(
    help: ArgumentHelp(
      "A and B, A..B or A...B; or two commands, each after --.", valueName: "revision"))
  var revisions: [String] = []

  @Option(
    help: ArgumentHelp(
      "Measure this scenario; repeatable. Default: the only scenario.", valueName: "name"))
  var scenario: [String] = []

  @Option(
    help: ArgumentHelp(
      "Measure this variant; given twice, compare both variants. Default: the scenario's.",
      valueName: "name"))
  var variant: [String] = []

  @OptionGroup
  var suites: SuiteOptions

  @OptionGroup
  var report: ReportOptions

  @Flag(
    name: .customLong("exit-code"),
    help: "Exit with 1 if regressed, 3 if inconclusive, 4 if void.")
  var exitCode = false

  @Option(
    name: .customLong("command"),
    help: ArgumentHelp(
      "Measure this command in both revisions instead of a scenario.", valueName: "text"))
  var text: String?

  @Option(
    help: ArgumentHelp(
      "Throw away this many launches of each command first. Default: one pair.", valueName: "n"))
  var warmup: Int?

  @OptionGroup(title: "Measuring a command")
  var command: CommandOptions

  @OptionGroup(title: "Comparing")
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
    try check(warmup, "--warmup", in: 0...1000)
  }

  func perform(_ context: Context) throws -> ExitStatus {
    var settings = try measuring.settings()
    settings.warmup = warmup
    let measuring = Measuring(settings, global, context)
    try measuring.settings.checkLabel()
    let address = try hub.address(context)
    let (all, controls) = try sides(measuring, context)
    let same = all.filter { controls.needsNoPairs($0, among: all, pairing.settings) }
    let names = Set(same.map(\.scenario.name))
    let different = all.filter { !names.contains($0.scenario.name) }
    let counts = GatingCounts(of: different, pairing.settings)
    if !different.isEmpty {
      try pairing.settings.check(counts)
      log(different, counts, context)
    }
    let store = try RunStore(path: global.storePath(context))
    var statuses: [ExitStatus] = []
    var compared: [ControlScenarios.ComparedSides] = []
    for (index, side) in different.enumerated() {
      let share = measuring.timeShare(among: different.count - index)
      do {
        let paired = try measuring.measure(
          side, pairing.settings, among: counts, within: share, into: store)
        compared.append((side, paired))
      } catch is CancellationError {
        break
      } catch {
        let failure = Failure(error)
        context.console.report(failure)
        statuses.append(failure.status)
      }
      if context.workspace.isCancelled() { break }
    }
    // Controls can only be judged when everything is measured.
    var documents = same.filter { !controls.additional.contains($0.scenario.name) }
      .map { ComparisonDocument($0.sameProgram(measuring)) }
    for one in try controls.judge(compared, in: store) {
      var document = one.paired.document()
      document.expectations = try measuring.expectations(
        of: one.sides, by: one.paired, in: store)
      let status: ExitStatus
      (document.reportPath, status) = report.write(document, context)
      documents.append(document)
      statuses += [status, exitStatus(one, controls)]
    }
    try output.write(
      documents, detail: length.detail(of: documents.count), global: global, context: context)
    hub.push(compared.map(\.paired.stored.id), to: address, global, context)
    guard context.workspace.isCancelled() else { return .worst(statuses) }
    context.console.error("perfkit: stopped. Repeat the command to continue.")
    return .interrupted
  }

  /// Returns the exit status of a comparison with `--exit-code`; for a control only its movement counts.
  private func exitStatus(
    _ compared: ControlScenarios.ComparedSides, _ controls: ControlScenarios
  ) -> ExitStatus {
    guard exitCode else { return .done }
    return controls.additional.contains(compared.sides.scenario.name)
      ? compared.paired.statusAsControl : ExitStatus(compared.paired.comparison.combined)
  }

  // MARK: - Sides

  private func sides(
    _ measuring: Measuring, _ context: Context
  ) throws -> ([PairedSides], ControlScenarios) {
    if let sides = try commandSides(measuring, context) {
      try suites.refuse(with: "a command")
      return ([sides], .none)
    }
    if suites.packageBenchmark { return (try suiteSides(measuring, context), .none) }
    let scenario =
      try scenario.isEmpty
      ? [
        measuring.onlyScenario("the scenario is missing", else: "measure a command with --command")
      ]
      : scenario
    if revisions.isEmpty, variant.count == 2 {
      let items = scenario.map { WorstCase.Item($0, variant[0], variant[1]) }
      logPlan(
        items, "\(variant[0]) to \(variant[1])", measuring, context, file: measuring.file)
      let sides = try scenario.map { name in
        try measuring.sides(of: name, variants: variant[0], variant[1])
      }
      return (sides, .none)
    }
    guard variant.count <= 1 else {
      throw Failure(
        "two revisions are compared with one variant. Leave out a --variant or the revisions.",
        status: .usage)
    }
    let built = try BuiltRevisions(
      measuring: measuring, scenarios: scenario, layouts: pairing.randomizeLayout
    ) { checkout in
      let found = try revisions(of: checkout, measuring)
      try logPlan(scenario, found, of: checkout, measuring, context)
      return found
    }
    var sides = try scenario.map { name in
      try built.sides(of: name, variant: variant.first, measuring: measuring)
    }
    let controls = try ControlScenarios(of: scenario, in: built)
    for name in controls.additional {
      sides.append(try built.sides(of: name, variant: nil, measuring: measuring))
    }
    return (sides, controls)
  }

  /// Returns the benchmarks of suites that both revisions have.
  private func suiteSides(_ measuring: Measuring, _ context: Context) throws -> [PairedSides] {
    guard variant.isEmpty else {
      throw Failure(
        "benchmarks of package-benchmark have no variants: leave out --variant.", status: .usage)
    }
    let sides = try Suites(named: scenario, measuring).sides(
      layouts: pairing.randomizeLayout, find: revisions)
    for (titles, change) in [(sides.removed, "lacks"), (sides.added, "adds")] where !titles.isEmpty
    {
      global.log("the candidate \(change) \(titles.joined(separator: ", "))", context)
    }
    guard !sides.common.isEmpty else {
      throw Failure(
        "the revisions have no benchmark in common, so that nothing can be compared. Name others with "
          + "--scenario TARGET, or measure one side with 'perfkit run --package-benchmark'.")
    }
    return sides.common
  }

  /// Resolves `A B`, `A..B`, `A...B`, `A` against WORKTREE, or HEAD against WORKTREE.
  ///
  /// - Throws: `Failure` for more revisions, or `RevisionError`.
  func revisions(of checkout: GitCheckout) throws -> BuiltRevisions.Pair {
    let names = try revisionNames()
    let base =
      names.isFork
      ? try checkout.mergeBase(of: names.base, with: names.candidate)
      : try checkout.revision(names.base)
    return (base, try checkout.revision(names.candidate))
  }

  /// Resolves the revisions, and reports a scenario in place of one as such.
  private func revisions(
    of checkout: GitCheckout, _ measuring: Measuring
  ) throws -> BuiltRevisions.Pair {
    do { return try revisions(of: checkout) } catch { throw explained(error, measuring) }
  }

  private func explained(_ error: any Error, _ measuring: Measuring) -> any Error {
    guard case RevisionError.unknownRevision(let name, _, _) = error,
      (try? measuring.file(name)) != nil
    else { return error }
    return Failure(
      "'\(name)' is a scenario, not a revision. Name it with --scenario: 'perfkit diff --scenario "
        + "\(name)'.", status: .usage)
  }

  /// Returns the names of the revisions, and whether the base is their merge base.
  private func revisionNames() throws -> (base: String, candidate: String, isFork: Bool) {
    switch revisions.count {
    case 0: return ("HEAD", GitCheckout.workTree, false)
    case 1:
      for dots in ["...", ".."] {
        let parts = revisions[0].split(separator: dots, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        let names = parts.map { $0.isEmpty ? "HEAD" : String($0) }
        return (names[0], names[1], dots == "...")
      }
      return (revisions[0], GitCheckout.workTree, false)
    case 2: return (revisions[0], revisions[1], false)
    default:
      throw Failure("diff compares two revisions, not \(revisions.count).", status: .usage)
    }
  }

  // MARK: - Log

  /// Writes the plan before anything is built, by the scenario files of the checkout.
  private func logPlan(
    _ scenario: [String], _ found: BuiltRevisions.Pair, of checkout: GitCheckout,
    _ measuring: Measuring,
    _ context: Context
  ) throws {
    guard let project = try context.workspace.project(in: checkout) else { return }
    let folder = project.place + (measuring.settings.scenarioFolder ?? project.scenarios)
    let library = ScenarioLibrary(folder: "\(checkout.root)/\(folder)")
    // A scenario that the checkout lacks may exist in the candidate, which is not built yet.
    let controls =
      (try? ControlScenarios(of: scenario, general: project.controls, file: library.file))?
      .additional
    logPlan(
      scenario.map { WorstCase.Item($0, variant.first) }
        + (controls ?? []).map { WorstCase.Item($0) },
      "\(found.base.title) to \(found.candidate.title)", measuring, context,
      file: library.file)
  }

  func logPlan(
    _ items: [WorstCase.Item], _ sides: String, _ measuring: Measuring, _ context: Context,
    file: (String) throws -> ScenarioFile
  ) {
    let worst = WorstCase(
      of: items, pairing: pairing.settings, settings: measuring.settings,
      times: LaunchTimes(inStoreAt: global.storePath(context)), file: file)
    // A command is measured like one scenario.
    let asked = max(1, scenario.count)
    global.log(
      "plan: " + GatePlan.count(scenarios: asked, controls: items.count - asked)
        + ", \(sides), \(pairing.settings.limit(hasTime: measuring.settings.maxTime != nil)); "
        + worst.sentence(isPaired: true),
      context)
  }

  /// Writes the sides, as soon as the programs exist.
  private func log(_ sides: [PairedSides], _ counts: GatingCounts, _ context: Context) {
    for side in sides {
      let (base, candidate) = (side.base.title, side.candidate.title)
      let same = side.isUnreached ? "; a control, as both run the same program" : ""
      global.log("\(side.scenario.name): \(base) to \(candidate)\(same)", context)
    }
    global.log(
      "\(Wording.count(counts.all, "gating metric")), with an error rate of "
        + "\(NumberFormat.human(RunComparer.alpha, .ratio)) together", context)
  }
}
