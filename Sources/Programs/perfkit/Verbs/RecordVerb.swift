internal import ArgumentParser
internal import Foundation
internal import PerfGate
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
      The program keeps the terminal: it reads the input, prints its output and receives Ctrl-C. \
      The profile is stored as a run, so that `show`, `flamegraph`, `compare` and other verbs \
      accept it. The summary goes to standard error. Other formats go to --output FILE, or follow \
      the program's output.

      Example:
        perfkit record -- sqlite3 books.sqlite "select count(*) from books"
        perfkit record --rate 10000 --label before -- ./import books.csv
        perfkit record --follow -- make --jobs 4
        perfkit record --signal RTMIN+3 -- xz --threads 2 --keep books.csv
      """)

  /// The valid sampling rates in Hz.
  private static let rates = 1...20_000

  @Option(
    help: ArgumentHelp("Take this many samples per second and thread.", valueName: "hz"))
  var rate = 1000

  @OptionGroup
  var sampling: SamplingOptions

  @Flag(help: "Count and sample the heap allocations of the program.")
  var allocations = false

  @Flag(help: "Sample the processes that the program starts, too.")
  var follow = false

  @Option(help: ArgumentHelp("Name the run, to refer to it later.", valueName: "name"))
  var label: String?

  @Option(help: ArgumentHelp("Seed the random delays between samples.", valueName: "n"))
  var seed: UInt64 = 1

  @OptionGroup
  var report: ReportOptions

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments, after --."))
  var command: [String]

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    try check(rate, "--rate", in: Self.rates, " Hz")
    if command.isEmpty {
      throw ValidationError(
        "the program is missing. Pass it after --: `perfkit record -- COMMAND`.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    var settings = MeasuringSettings()
    settings.label = label
    try settings.checkLabel()
    let workspace = context.workspace
    let path = try workspace.finder.path(
      of: .command(command), directory: workspace.workingDirectory)
    if let obstacle = PreloadCheck.obstacle(of: path) {
      throw RunnerError.cannotProfile(
        path: path, reason: "\(obstacle)", remedy: obstacle.remedy)
    }
    let store = try RunStore(path: global.storePath(context))
    let run = try record([path] + command.dropFirst(), store, workspace)
    guard !run.launches.isEmpty else { return .interrupted }
    var summary = RunSummary(run, in: store)
    var status = ExitStatus.done
    if run.profile != nil {
      (summary.reportPath, status) = report.write(summary.document, context)
    }
    try write(summary, context)
    if workspace.isCancelled() { return .interrupted }
    // The counts of allocations are exact without a single sample.
    guard allocations || run.profile?.counts.isEmpty == false else { throw nothingSampled(run) }
    return status
  }

  /// Returns the reason why there is no profile: an obstacle of the sampler, or a short program.
  private func nothingSampled(_ run: Run) -> Failure {
    let obstacles = [
      "absent", "left", "no_ticker", "descriptors", "handler", "blocked", "refused", "filtered",
      "credentials", "namespace", "first_thread", "overwritten", "coverage", "children",
    ].map { "sampler.\($0)" }
    let warning = run.profile?.audit.warnings.first { obstacles.contains($0.code) }
    guard let warning else {
      return Failure(
        "'\(command[0])' ended before the first sample, so that there is no profile. "
          + (rate < Self.rates.upperBound
            ? "Raise --rate, or profile a longer execution." : "Profile a longer execution."))
    }
    return Failure(
      "'\(command[0])' has no sample, so that there is no profile: \(warning.message). "
        + warning.remedy)
  }

  private func record(
    _ program: [String], _ store: RunStore, _ workspace: Workspace
  ) throws -> Run {
    let variant = Scenario.Variant(name: "record", parameters: [:])
    let scenario = Scenario(
      name: DirectCommand.name(of: [(program[0] as NSString).lastPathComponent], or: "command"),
      summary: "A recorded program.", workload: "",
      worker: .command(command), variants: [variant], defaultVariant: variant.name,
      iterations: 1, warmup: 0, timeout: Self.unlimited, profileRate: rate)
    let started = workspace.now()
    let id = RunIdentifier.make(at: started)
    let folder = (store.path as NSString).deletingLastPathComponent
    var plan = MeasurementPlan(
      scenario: scenario, variant: variant.name, parameters: [:],
      iterations: 1, warmup: 0, rate: rate, seed: seed,
      program: program,
      agent: try workspace.finder.agent(AgentLibrary(countsAllocations: allocations, rate: rate)),
      cacheDirectory: "\(folder)/data",
      scratchDirectory: "\(folder)/scratch/\(id)")
    plan.isAttended = true
    plan.signal = sampling.signal
    plan.stackBytes = sampling.stackSize << 10
    plan.countsAllocations = allocations
    plan.followsChildren = follow
    let draft = RunDraft(
      id: id, started: started, plan: plan, label: label, command: workspace.arguments,
      catalog: .standard, environment: plan.environment(of: nil, in: workspace))
    // Progress is not displayed: the terminal belongs to the program.
    return try draft.measure(nil, in: workspace, into: store)
  }

  private func write(_ summary: RunSummary, _ context: Context) throws {
    guard output.output == "-", output.format == .text else {
      return try output.write([summary.document], global: global, context: context)
    }
    let text = TextRenderer(width: context.width).render(summary.document.document)
    if !global.quiet { context.console.error("\n" + text.dropLast()) }
  }

  /// Ten years in nanoseconds.
  private static let unlimited: UInt64 = 10 * 365 * 86400 * 1_000_000_000
}
