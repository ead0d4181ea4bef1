internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStatistics
internal import PerfStore

/// The verb `perfkit run SCENARIO...` or `perfkit run -- COMMAND`.
struct RunVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measure scenarios or a command in fresh processes, and store the runs.",
    discussion: """
      The program is measured as it is: build it before (`diff` and `gate` build revisions themselves). \
      Several variants take turns: a launch of each, then the next launch of each. Each launch is stored \
      when it ends, so that Ctrl-C loses no finished launch. An HTML report is \
      written into the folder of --report. --resume completes a run that was cut off: it warms up and \
      makes the missing launches, with the options of the run's command line. The machine and the \
      programs must be the same.

      Example:
        perfkit run scroll-1000
        perfkit run scroll-1000 --variant naive --iterations 3 --set books=200
        perfkit run --iterations 20 --prepare "rm -f books.idx" -- ./import books.csv
        perfkit run scroll-1000 --tasks
        perfkit run palette-extract --count
        perfkit run --package-benchmark MyBenchmarks
        perfkit run scroll-1000 --resume
      """)

  @Argument(
    help: ArgumentHelp(
      "Names of scenarios, or paths of scenario files; or a command after --; with --resume a run.",
      valueName: "scenario"))
  var scenarios: [String] = []

  @OptionGroup
  var suites: SuiteOptions

  @Option(
    help: ArgumentHelp(
      "Measure this variant; repeatable. Default: the scenario's.", valueName: "name"))
  var variant: [String] = []

  @OptionGroup
  var report: ReportOptions

  @Flag(
    name: .customLong("exit-code"),
    help: "Exit with 1 if a budget or an expectation is broken, 3 if one is undecided.")
  var exitCode = false

  @Option(
    help: ArgumentHelp("Measure this many launches. Default: the scenario's.", valueName: "n"))
  var iterations: Int?

  @Option(
    help: ArgumentHelp(
      "Throw away this many launches first. Default: the scenario's.", valueName: "n"))
  var warmup: Int?

  @Flag(
    help:
      "Complete the latest run that was cut off; the argument limits the runs, e.g. to a scenario.")
  var resume = false

  @Flag(
    help: "Search the size of calibrated scenarios anew. Default: the size of the last run here.")
  var calibrate = false

  @Flag(
    help:
      "Record where Swift tasks wait, for how long and on what; a library is preloaded for that.")
  var tasks = false

  @OptionGroup(title: "Measuring a command")
  var command: CommandOptions

  @OptionGroup(title: "Counting")
  var counting: CountingOptions

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
    // The words of a command are scenarios here.
    guard !scenarios.isEmpty || suites.packageBenchmark || resume else {
      throw ValidationError(
        "the scenario is missing. Pass its name ('perfkit list scenarios' lists them), or a command "
          + "after --.")
    }
    try check(iterations, "--iterations", in: 1...10_000)
    try check(warmup, "--warmup", in: 0...1000)
    try counting.check(measuring)
    if tasks, counting.count || measuring.noProfile {
      throw ValidationError(
        "--tasks records stacks, so that it needs a profile: leave out --count and --no-profile.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    try resume ? performResumption(context) : perform(context, completing: nil)
  }

  /// Measures scenarios or a command.
  ///
  /// - Parameters:
  ///   - context: The console and the surroundings.
  ///   - run: The run that lacks launches; nil to make new runs.
  /// - Returns: The exit status.
  /// - Throws: `Failure`, or an error whose description is a message for the user.
  func perform(_ context: Context, completing run: Run?) throws -> ExitStatus {
    var settings = try measuring.settings()
    (settings.iterations, settings.warmup) = (iterations, warmup)
    (settings.recordsTasks, settings.calibratesAnew) = (tasks, calibrate)
    counting.apply(to: &settings)
    let measuring = Measuring(settings, global, context)
    // All names are checked before the first launch: a typing error must not cost an hour.
    let scenarios = try runnables(measuring, context).filter {
      run == nil || $0.scenario.name == run?.scenario
    }
    if let run, scenarios.isEmpty {
      throw Failure(
        "run \(run.id) cannot be resumed: its command line names no scenario '\(run.scenario)' any more."
      )
    }
    let variants = Measuring.variants(named: variant)
    for scenario in scenarios {
      for variant in variants { try measuring.check(scenario, variant: variant) }
    }
    let address = try hub.address(context)
    let store = try RunStore(path: global.storePath(context))
    var statuses: [ExitStatus] = []
    var summaries: [RunSummary] = []
    var contrasts: [ComparisonDocument] = []
    for scenario in scenarios {
      let first = summaries.count
      let results: [Result<Run, any Error>]
      do {
        results =
          try run.map { run in [Result { try measuring.resume(run, of: scenario, into: store) }] }
          ?? measuring.measure(scenario, variants: variants, into: store)
      } catch {
        results = [.failure(error)]
      }
      for result in results {
        switch result {
        case .failure(is CancellationError): break
        case .failure(let error):
          // The runs before the failure are still printed.
          let failure = Failure(error)
          context.console.report(failure)
          statuses.append(failure.status)
        // A run that was stopped before its first launch is not stored.
        case .success(let made) where made.launches.isEmpty: break
        case .success(let made):
          summaries.append(RunSummary(made, in: store))
          summaries[summaries.count - 1].setGating(by: scenario.scenario.gate)
        }
      }
      try measuring.judge(&summaries[first...], of: scenario, in: store)
      for index in summaries[first...].indices {
        statuses.append(status(summaries[index], context))
        guard !summaries[index].hasNoResult else { continue }
        let written = report.write(summaries[index].document, context)
        summaries[index].reportPath = written.path
        statuses.append(written.status)
      }
      contrasts += Self.contrasts(of: summaries[first...], scenario)
      if context.workspace.isCancelled() { break }
    }
    if exitCode {
      statuses += summaries.flatMap(\.expectations).map { ExitStatus($0.verdict) }
    }
    let detail = length.detail(of: summaries.count)
    try output.write(
      summaries.map(\.document), detail: detail, and: contrasts.map(Self.titled), global: global,
      context: context)
    hub.push(summaries.map(\.run.id), to: address, global, context)
    return context.workspace.isCancelled() ? .interrupted : .worst(statuses)
  }

  /// Finds the programs of the scenarios or of the command.
  private func runnables(_ measuring: Measuring, _ context: Context) throws -> [RunnableScenario] {
    guard let words = context.commandWords else {
      try command.refuseWithoutCommand()
      if suites.packageBenchmark { return try Suites(named: scenarios, measuring).runnables() }
      return try scenarios.map(measuring.runnable)
    }
    try suites.refuse(with: "a command after --")
    guard scenarios.count == words.count else {
      throw Failure(
        "a command after -- is measured alone. Leave out the scenario '\(scenarios[0])'.",
        status: .usage)
    }
    return try command.scenarios(of: [words], measuring).map(measuring.runnable(command:))
  }

  /// Returns how the later runs of a scenario differ from its first; counted runs and runs without a
  /// result are left out.
  private static func contrasts(
    of summaries: ArraySlice<RunSummary>, _ runnable: RunnableScenario
  ) -> [ComparisonDocument] {
    let judged = summaries.filter { !$0.hasNoResult }
    guard let base = judged.first else { return [] }
    let comparer = RunComparer(policy: runnable.scenario.gate)
    return judged.dropFirst().compactMap { candidate in
      guard let comparison = try? comparer.compare(base.run, candidate.run) else { return nil }
      return ComparisonDocument(comparison, base: base.document, candidate: candidate.document)
    }
  }

  /// Returns a comparison in short form, with both variants in its first line.
  private static func titled(_ contrast: ComparisonDocument) -> Document {
    let (base, candidate) = (contrast.comparison.base, contrast.comparison.candidate)
    let title =
      "\(candidate.scenario):\(candidate.variant) compared with \(base.scenario):\(base.variant)"
    return Document(
      title: title, blocks: [.paragraph(title)] + contrast.document(.brief).blocks)
  }

  private func status(_ summary: RunSummary, _ context: Context) -> ExitStatus {
    if summary.hasNoResult, !context.workspace.isCancelled() {
      let reason = summary.obstacle(isStopped: false)
      let remedy =
        summary.run.profiled.isEmpty
        ? "Increase --max-time or reduce --warmup." : "See `perfkit show \(summary.run.id)`."
      context.console.error(
        "perfkit: \(summary.run.subject) has no result: \(reason). \(remedy)")
      return .failed
    }
    return exitCode ? ExitStatus(summary.verdict) : .done
  }
}
