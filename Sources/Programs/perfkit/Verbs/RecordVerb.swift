internal import ArgumentParser
internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfReport
internal import PerfRunner
internal import PerfStore

/// The verb `perfkit record -- COMMAND`.
struct RecordVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Profile any program from its first instruction to its end.",
    discussion: """
      The program keeps the terminal: its input and output are its own, and Ctrl-C reaches it. \
      The profile is stored like a run, so `show`, `flamegraph`, `compare` and the others take \
      it; the summary goes to standard error, since standard output is the program's. Other \
      formats go to --output FILE; without it they follow what the program has printed.

      Example:
        perfkit record -- sqlite3 books.sqlite "select count(*) from books"
        perfkit record --rate 10000 --label before -- ./import books.csv
        perfkit record --follow -- make --jobs 4
        perfkit record --signal RTMIN+3 -- xz --threads 2 --keep books.csv
      """)

  /// In Hz.
  private static let rates = 1...20_000

  @Option(help: ArgumentHelp("Samples a second and thread.", valueName: "hz"))
  var rate = 1000

  @OptionGroup
  var sampling: SamplingOptions

  @Flag(help: "Count what the program asks of the heap, and sample where.")
  var allocations = false

  @Flag(help: "Sample the processes that the program starts as well.")
  var follow = false

  @Option(help: ArgumentHelp("A name for the run, to refer to it later.", valueName: "name"))
  var label: String?

  @Option(help: ArgumentHelp("Seed of the ticks' random places.", valueName: "n"))
  var seed: UInt64 = 1

  @OptionGroup
  var report: ReportOptions

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments, behind --."))
  var command: [String]

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    if !Self.rates.contains(rate) {
      throw ValidationError(
        "--rate must be from \(Self.rates.lowerBound) to \(Self.rates.upperBound) Hz, not \(rate).")
    }
    if command.isEmpty {
      throw ValidationError("Say what to profile behind --, as in `perfkit record -- COMMAND`.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    try label.map(StoredName.checkLabel)
    let finder = ProgramFinder(
      programDirectory: context.programDirectory, environment: context.variables)
    let path = try finder.path(of: .command(command), directory: context.workingDirectory)
    if let obstacle = PreloadCheck.obstacle(of: path) {
      throw RunnerError.cannotProfile(
        path: path, reason: "\(obstacle)", remedy: obstacle.remedy)
    }
    let store = try RunStore(path: global.storePath(context))
    let run = try record([path] + command.dropFirst(), finder, store, context)
    guard !run.launches.isEmpty else { return .interrupted }
    var summary = RunSummary(run, in: store)
    var status = ExitStatus.done
    if run.profile != nil {
      (summary.reportPath, status) = report.write(context) { folder in
        try ReportPlace.write(summary, to: folder, context: context)
      }
    }
    try write(summary, context)
    if context.cancellation.isRequested() { return .interrupted }
    // What was counted of the heap is exact without a single sample.
    guard allocations || run.profile?.counts.isEmpty == false else { throw nothingSampled(run) }
    return status
  }

  /// Says why there is no profile: what kept the sampler out, or that the program was too short.
  private func nothingSampled(_ run: Run) -> Failure {
    let obstacles = [
      "absent", "left", "no_ticker", "descriptors", "handler", "blocked", "refused", "filtered",
      "overwritten", "coverage", "children",
    ].map { "sampler.\($0)" }
    let warning = run.profile?.audit.warnings.first { obstacles.contains($0.code) }
    guard let warning else {
      return Failure(
        "'\(command[0])' ended before it was sampled once, so there is no profile. "
          + (rate < Self.rates.upperBound ? "Raise --rate, or let it do more." : "Let it do more."))
    }
    return Failure(
      "'\(command[0])' was not sampled once, so there is no profile: \(warning.message). "
        + warning.remedy)
  }

  private func record(
    _ program: [String], _ finder: ProgramFinder, _ store: RunStore, _ context: Context
  ) throws -> Run {
    let variant = Scenario.Variant(name: "record", parameters: [:])
    let scenario = Scenario(
      name: Self.name(of: program[0]), summary: "A recorded program.", workload: "",
      worker: .command(command), variants: [variant], defaultVariant: variant.name,
      iterations: 1, warmup: 0, timeout: Self.unlimited, profileRate: rate)
    let started = context.now()
    let id = RunIdentifier.make(at: started)
    let folder = (store.path as NSString).deletingLastPathComponent
    var plan = MeasurementPlan(
      scenario: scenario, variant: variant.name, parameters: [:],
      conditions: MeasurementPlan.Conditions(), iterations: 1, warmup: 0, rate: rate, seed: seed,
      program: program,
      agent: try finder.agent(AgentLibrary(countsAllocations: allocations, rate: rate)),
      cacheDirectory: "\(folder)/data",
      scratchDirectory: "\(folder)/scratch/\(id)")
    plan.isAttended = true
    plan.signal = sampling.signal
    plan.stackBytes = sampling.stackSize << 10
    plan.countsAllocations = allocations
    plan.followsChildren = follow
    return try PlanRunner(
      plan: plan, workload: nil,
      draft: RunDraft(
        id: id, started: started, plan: plan, label: label, command: context.arguments,
        catalog: .standard, environment: plan.environment(of: nil, context)),
      // The terminal is the program's.
      progress: Progress(
        console: context.console, title: scenario.name, isQuiet: true, isVerbose: false),
      isCancelled: context.cancellation.isRequested, symbolication: context.symbolication,
      isOutOfTime: { false }
    ).run(into: store)
  }

  private func write(_ summary: RunSummary, _ context: Context) throws {
    guard output.output == "-", output.format == .text else {
      return try RunSummary.write([summary], output: output, global: global, context: context)
    }
    let text = TextRenderer(width: context.width).render(summary.document.document)
    if !global.quiet { context.console.error("\n" + text.dropLast()) }
  }

  /// Ten years.
  private static let unlimited: UInt64 = 10 * 365 * 86400 * 1_000_000_000

  /// The program's name as a scenario may be called.
  private static func name(of path: String) -> String {
    let name = (path as NSString).lastPathComponent.map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "-"
    }
    return String(name)
  }
}
