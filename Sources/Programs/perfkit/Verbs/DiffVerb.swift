internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// The verb `perfkit diff [A] [B]`.
struct DiffVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Measure two revisions or variants in pairs, and report the changes.",
    discussion: """
      A and B are git revisions, or WORKTREE for the checkout with its changes. The default is HEAD \
      against WORKTREE. Each revision is built in a work tree of its own, as perfkit.yml at the \
      repository's root describes. With two --variant and no revision, the existing build is \
      measured. A stopped comparison continues when the command is repeated.

      Example:
        perfkit diff HEAD~1 HEAD --scenario palette-extract
        perfkit diff main..WORKTREE --scenario scroll-1000 --max-time 5min
        perfkit diff --scenario scroll-1000 --variant naive --variant optimised
      """)

  @Argument(help: ArgumentHelp("A and B, or A..B.", valueName: "revision"))
  var revisions: [String] = []

  @Option(help: ArgumentHelp("Measure this scenario; repeatable.", valueName: "name"))
  var scenario: [String] = []

  @Option(
    help: ArgumentHelp(
      "Measure this variant; given twice, compare both variants.", valueName: "name"))
  var variant: [String] = []

  @OptionGroup
  var report: ReportOptions

  @Flag(
    name: .customLong("exit-code"),
    help: "Exit with 1 if regressed, 3 if inconclusive, 4 if void.")
  var exitCode = false

  @OptionGroup(title: "Comparing")
  var pairing: PairingOptions

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let measuring = Measuring(try measuring.settings(), global, context)
    try measuring.settings.checkLabel()
    let (sides, controls) = try sides(measuring, context)
    let gatingCount = sides.reduce(0) { $0 + $1.gating.count }
    try pairing.settings.check(gatingCount: gatingCount)
    log(sides, gatingCount: gatingCount, context)
    let store = try RunStore(path: global.storePath(context))
    var statuses: [ExitStatus] = []
    var compared: [ControlScenarios.ComparedSides] = []
    for (index, side) in sides.enumerated() {
      let share = TimeShare(of: measuring, among: sides.count - index)
      do {
        let paired = try measuring.measure(
          side, pairing.settings, gatingCount: gatingCount, within: share, into: store)
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
    var documents: [ComparisonDocument] = []
    for one in try controls.judge(compared, in: store) {
      var document = one.paired.document()
      let status: ExitStatus
      (document.reportPath, status) = report.write(document, context)
      documents.append(document)
      statuses += [status, exitStatus(one, controls)]
    }
    try output.write(documents, global: global, context: context)
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
      ? compared.paired.statusAsControl : ExitStatus(compared.paired.comparison.verdict)
  }

  // MARK: - Sides

  private func sides(
    _ measuring: Measuring, _ context: Context
  ) throws -> ([PairedSides], ControlScenarios) {
    guard !scenario.isEmpty else {
      let names = (try? measuring.library.names().joined(separator: ", ")) ?? ""
      throw Failure(
        "the scenario is missing. Pass --scenario with a name"
          + (names.isEmpty ? "." : ": \(names)."), status: .usage)
    }
    if revisions.isEmpty, variant.count == 2 {
      let items = scenario.map { WorstCase.Item($0, variant[0], variant[1]) }
      logPlan(
        items, "\(variant[0]) against \(variant[1])", measuring, context, file: measuring.file)
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
    let names = try revisionNames()
    let built = try BuiltRevisions(measuring: measuring, scenarios: scenario) { checkout in
      let found = (
        base: try checkout.revision(names.base), candidate: try checkout.revision(names.candidate)
      )
      try logPlan(found, of: checkout, measuring, context)
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

  /// Returns the revisions of `A B`, `A..B`, `A` against WORKTREE, or HEAD against WORKTREE.
  private func revisionNames() throws -> (base: String, candidate: String) {
    switch revisions.count {
    case 0: return ("HEAD", GitCheckout.workTree)
    case 1:
      let parts = revisions[0].split(separator: "..", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return (revisions[0], GitCheckout.workTree) }
      let names = parts.map { $0.isEmpty ? "HEAD" : String($0) }
      return (names[0], names[1])
    case 2: return (revisions[0], revisions[1])
    default:
      throw Failure("diff compares two revisions, not \(revisions.count).", status: .usage)
    }
  }

  // MARK: - Log

  /// Writes the plan before anything is built, by the scenario files of the checkout.
  private func logPlan(
    _ found: BuiltRevisions.Pair, of checkout: GitCheckout, _ measuring: Measuring,
    _ context: Context
  ) throws {
    guard let project = try ProjectFile.ofTree(checkout.root) else { return }
    let folder = measuring.settings.scenarioFolder ?? project.scenarios
    let library = ScenarioLibrary(folder: "\(checkout.root)/\(folder)")
    // A scenario that the checkout lacks may exist in the candidate, which is not built yet.
    let controls =
      (try? ControlScenarios(of: scenario, general: project.controls, in: library))?.additional
    logPlan(
      scenario.map { WorstCase.Item($0, variant.first) }
        + (controls ?? []).map { WorstCase.Item($0) },
      "\(found.base.title) against \(found.candidate.title)", measuring, context,
      file: library.file)
  }

  private func logPlan(
    _ items: [WorstCase.Item], _ sides: String, _ measuring: Measuring, _ context: Context,
    file: (String) throws -> ScenarioFile
  ) {
    let worst = WorstCase(
      of: items, maxPairs: pairing.maxPairs, settings: measuring.settings,
      times: LaunchTimes(inStoreAt: global.storePath(context)), file: file)
    global.log(
      "plan: " + GatePlan.count(scenarios: scenario.count, controls: items.count - scenario.count)
        + ", \(sides), at most \(pairing.maxPairs) pairs each; \(worst.sentence(isPaired: true))",
      context)
  }

  /// Writes the sides, as soon as the programs exist.
  private func log(_ sides: [PairedSides], gatingCount: Int, _ context: Context) {
    for side in sides {
      let (base, candidate) = (side.base.title, side.candidate.title)
      let same = side.isUnreached ? "; a control, as both run the same program" : ""
      global.log("\(side.scenario.name): \(base) against \(candidate)\(same)", context)
    }
    global.log(
      "\(Wording.count(gatingCount, "gating metric")), with an error rate of "
        + "\(NumberFormat.human(RunComparer.alpha, .ratio)) together", context)
  }
}
