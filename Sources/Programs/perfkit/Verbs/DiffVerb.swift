internal import ArgumentParser
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
    abstract: "Measure two revisions or variants now, in pairs, and say what changed.",
    discussion: """
      A and B are git revisions, or WORKTREE for what lies in the checkout, changes included; without \
      them HEAD is compared with WORKTREE. Each is built in a work tree of its own, as perfkit.yml at \
      the repository's root says. With two --variant and no revision, what is built already is \
      measured. A comparison that was stopped goes on when the command is repeated.

      Example:
        perfkit diff HEAD~1 HEAD --scenario palette-extract
        perfkit diff main..WORKTREE --scenario scroll-1000 --max-time 5min
        perfkit diff --scenario scroll-1000 --variant naive --variant optimised
      """)

  @Argument(help: ArgumentHelp("A and B, or A..B.", valueName: "revision"))
  var revisions: [String] = []

  @Option(help: ArgumentHelp("What is measured; may be repeated.", valueName: "name"))
  var scenario: [String] = []

  @Option(
    help: ArgumentHelp("A variant, or two to compare with each other.", valueName: "name"))
  var variant: [String] = []

  @OptionGroup
  var report: ReportOptions

  @Flag(
    name: .customLong("exit-code"),
    help: "Exit with 1 when it regressed, 3 when inconclusive, 4 when void.")
  var exitCode = false

  @OptionGroup(title: "Comparing")
  var pairing: PairingOptions

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws { try measuring.checkPairs() }

  func perform(_ context: Context) throws -> ExitStatus {
    try measuring.checkLabel()
    let measuring = Measuring(options: measuring, global: global, context: context)
    let (sides, controls) = try sides(measuring)
    let gatingCount = sides.reduce(0) { $0 + $1.gating.count }
    try pairing.check(gatingCount: gatingCount)
    say(sides, gatingCount: gatingCount, context)
    let store = try RunStore(path: global.storePath(context))
    var statuses: [ExitStatus] = []
    var compared: [ControlScenarios.Compared] = []
    for (index, side) in sides.enumerated() {
      let share = TimeShare(of: measuring, among: sides.count - index)
      do {
        compared.append(
          .init(
            sides: side,
            paired: try pairing.measuring(measuring, within: share)
              .measure(side, gatingCount: gatingCount, into: store)))
      } catch is CancellationError {
        break
      } catch {
        let failure = Failure(error)
        failure.say(context.console)
        statuses.append(failure.status)
      }
      if context.cancellation.isRequested() { break }
    }
    // Only when all are measured it is known whether a control moved.
    var documents: [ComparisonDocument] = []
    for one in try controls.judge(compared, in: store) {
      let written = report.write(context) { folder in
        try ReportPlace.write(one.paired.document(), to: folder, context: context)
      }
      documents.append(one.paired.document(reportPath: written.path))
      statuses += [written.status, exitStatus(one, controls)]
    }
    try ComparisonDocument.write(documents, output: output, global: global, context: context)
    guard context.cancellation.isRequested() else { return .worst(statuses) }
    context.console.error("perfkit: stopped; the same command goes on where it was.")
    return .interrupted
  }

  /// What `--exit-code` makes of a comparison; one that is a control alone only tells that it moved, or
  /// that nobody knows.
  private func exitStatus(
    _ compared: ControlScenarios.Compared, _ controls: ControlScenarios
  ) -> ExitStatus {
    guard exitCode else { return .done }
    return controls.additional.contains(compared.sides.scenario.name)
      ? compared.paired.statusAsControl : ExitStatus(compared.paired.comparison.verdict)
  }

  // MARK: - What is compared

  private func sides(
    _ measuring: Measuring
  ) throws -> ([PairedMeasuring.Sides], ControlScenarios) {
    guard !scenario.isEmpty else {
      let names = (try? measuring.library.names().joined(separator: ", ")) ?? ""
      throw Failure(
        "--scenario says what is measured"
          + (names.isEmpty ? "." : "; there are \(names)."), status: .usage)
    }
    if revisions.isEmpty, variant.count == 2 {
      let items = scenario.map { WorstCase.Item($0, variant[0], variant[1]) }
      sayPlan(items, "\(variant[0]) against \(variant[1])", measuring, file: measuring.file)
      return (try variantSides(measuring), .none)
    }
    guard variant.count <= 1 else {
      throw Failure(
        "two revisions are compared by one variant; leave out a --variant, or the revisions.",
        status: .usage)
    }
    let names = try revisionNames()
    let built = try RevisionSides(measuring: measuring, scenarios: scenario) { checkout in
      let found = (
        base: try checkout.revision(names.base), candidate: try checkout.revision(names.candidate)
      )
      try sayPlan(found, of: checkout, measuring)
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

  private func variantSides(_ measuring: Measuring) throws -> [PairedMeasuring.Sides] {
    try scenario.map { name in
      let subject = try measuring.subject(name)
      for variant in variant { try measuring.check(subject, variant: variant) }
      return PairedMeasuring.Sides(
        base: .init(subject: subject, variant: variant[0]),
        candidate: .init(subject: subject, variant: variant[1]))
    }
  }

  /// `A B`, `A..B`, `A` against what lies here, or what was committed against what lies here.
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

  /// Says what is going to be done, before anything is built: by the files that lie in the checkout.
  private func sayPlan(
    _ found: (base: GitCheckout.Revision, candidate: GitCheckout.Revision),
    of checkout: GitCheckout, _ measuring: Measuring
  ) throws {
    guard let project = try ProjectFile.ofTree(checkout.root) else { return }
    let library = project.library(ofTree: checkout.root)
    // What cannot be read here may be there in the candidate, which is not built yet.
    let controls =
      (try? ControlScenarios(of: scenario, general: project.controls, in: library))?.additional
    sayPlan(
      scenario.map { WorstCase.Item($0, variant.first) }
        + (controls ?? []).map { WorstCase.Item($0) },
      "\(found.base.title) against \(found.candidate.title)", measuring, file: library.file)
  }

  private func sayPlan(
    _ items: [WorstCase.Item], _ what: String, _ measuring: Measuring,
    file: (String) throws -> ScenarioFile
  ) {
    let context = measuring.context
    let worst = WorstCase(
      of: items, maxPairs: pairing.maxPairs, options: measuring.options,
      times: PairTimes(global, context),
      file: file)
    global.say(
      "plan: " + GatePlan.count(scenarios: scenario.count, controls: items.count - scenario.count)
        + ", \(what), at most \(pairing.maxPairs) pairs each; \(worst.sentence(isPaired: true))",
      context)
  }

  /// Says what is compared, as soon as the programs are there.
  private func say(_ sides: [PairedMeasuring.Sides], gatingCount: Int, _ context: Context) {
    for side in sides {
      let (base, candidate) = (side.base.title, side.candidate.title)
      let same = side.isUnreached ? "; both run the same program, so it is a control" : ""
      global.say("\(side.scenario.name): \(base) against \(candidate)\(same)", context)
    }
    global.say(
      Wording.count(gatingCount, "metric decides", "metrics decide")
        + ", with an error of \(NumberFormat.human(RunComparer.alpha, .ratio)) together", context)
  }
}
