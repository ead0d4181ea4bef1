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
    abstract: "Profile any program from its first instruction to its end, or a running process.",
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
        perfkit record --engine signal -- ./server --once
        perfkit record --tasks -- ./server --once
        perfkit record --pid 4711 --duration 30s
      """)

  /// The valid sampling rates in Hz.
  private static let rates = 1...20_000

  @Option(
    help: ArgumentHelp("Take this many samples per second and thread.", valueName: "hz"))
  var rate = 1000

  @Option(
    help: ArgumentHelp(
      "Sample by the kernel (perf) or by a signal, which also sees allocations, phases and awaiting "
        + "callers. Default: auto, the kernel where that is possible.",
      valueName: "auto|perf|signal"),
    transform: { try EngineChoice(option: $0) })
  var engine = EngineChoice.auto

  @Option(
    help: ArgumentHelp(
      "Sample this running process by the kernel, until it ends, --duration is over or you press Ctrl-C.",
      valueName: "pid"))
  var pid: Int32?

  @Option(
    help: ArgumentHelp(
      "Stop sampling --pid after this time, e.g. 30s. Default: when the process ends.",
      valueName: "duration"))
  var duration: DurationArgument?

  @Flag(
    help: """
      Fetch missing debug information from the servers in DEBUGINFOD_URLS. Needs debuginfod-find.
      """)
  var debuginfod = false

  @OptionGroup
  var sampling: SamplingOptions

  @Flag(help: "Count and sample the heap allocations of the program.")
  var allocations = false

  @Flag(
    help:
      "Record where Swift tasks wait, for how long and on what; a library is preloaded for that.")
  var tasks = false

  @Flag(help: "Sample the processes that the program starts, too.")
  var follow = false

  @Option(help: ArgumentHelp("Name the run, to refer to it later.", valueName: "name"))
  var label: String?

  @Option(help: ArgumentHelp("Seed the random delays between samples.", valueName: "n"))
  var seed: UInt64 = 1

  @OptionGroup
  var redaction: RedactionOptions

  @OptionGroup
  var report: ReportOptions

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments, after --."))
  var command: [String] = []

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "Output")
  var length: DetailOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  var secrets: Redaction { redaction.redaction }

  func validate() throws {
    try check(rate, "--rate", in: Self.rates, " Hz")
    try (pid == nil ? engine : .perf).check(countsAllocations: allocations)
    if tasks, pid != nil {
      throw ValidationError(
        "--tasks needs a program: nothing is preloaded into a running process.")
    }
    guard let pid else {
      if duration != nil { throw ValidationError("--duration belongs to --pid.") }
      guard command.isEmpty else { return }
      throw ValidationError(
        "the program is missing. Pass it after --: `perfkit record -- COMMAND`.")
    }
    if engine == .signal {
      throw ValidationError(
        "--pid needs --engine perf: nothing is preloaded into a running process.")
    }
    if !command.isEmpty { throw ValidationError("--pid and a program exclude each other.") }
    guard pid > 0 else { throw ValidationError("--pid must be a process id, not \(pid).") }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    var settings = MeasuringSettings()
    settings.label = label
    try settings.checkLabel()
    var workspace = context.workspace
    if debuginfod {
      do {
        workspace.debugFileServers = try DebugFileServers(variables: workspace.variables)
      } catch {
        throw Failure("--debuginfod cannot be used: \(error)")
      }
    }
    let obstacle = engine == .signal || allocations ? nil : EventSession.obstacle()
    if engine == .perf || pid != nil, let obstacle, !obstacle.leavesUserCode {
      throw Failure(
        "sampling by the kernel is not possible: \(obstacle)"
          + (pid == nil ? " Or use --engine signal." : ""))
    }
    let program = try pid.map { [try RunningProgram(process: $0).path] } ?? program(in: workspace)
    let (sampler, reason) = self.sampler(of: program[0], obstacle)
    if pid == nil, let preload = PreloadCheck.obstacle(of: program[0]),
      sampler == .signal || tasks || !preload.isOfAgent
    {
      throw RunnerError.cannotProfile(
        path: program[0], reason: "\(preload)", remedy: remedy(for: preload, sampler, obstacle))
    }
    let store = try RunStore(path: global.storePath(context))
    let run = try record(program, by: sampler, as: reason, obstacle, store, workspace)
    guard !run.launches.isEmpty else { return .interrupted }
    var summary = RunSummary(run, in: store)
    var status = ExitStatus.done
    if run.profile != nil {
      (summary.reportPath, status) = report.write(recorded: summary.document, context)
    }
    try write(summary, context)
    if workspace.isCancelled(), pid == nil { return .interrupted }
    // The counts of allocations are exact without a single sample.
    guard allocations || hasTasks(run) || run.profile.map(hasTime) ?? false else {
      throw nothingSampled(run)
    }
    return status
  }

  private func hasTasks(_ run: Run) -> Bool {
    run.profile?.counts.contains { $0.state == .suspended } ?? false
  }

  /// Returns whether a profile has a sample of a running thread, or waits as long as a tick.
  private func hasTime(_ profile: Profile) -> Bool {
    let waits = profile.counts.filter { $0.state == .waiting }.reduce(0) { $0 + $1.weight }
    return profile.counts.contains { $0.state == .running } || waits >= 1e9 / Double(rate)
  }

  /// Returns the program and its arguments.
  ///
  /// - Throws: `RunnerError` if it cannot be found.
  private func program(in workspace: Workspace) throws -> [String] {
    let path = try workspace.finder.path(
      of: .command(command), directory: workspace.workingDirectory)
    return [path] + command.dropFirst()
  }

  /// Returns the reason why there is no profile: an obstacle of the sampler, or a short program.
  private func nothingSampled(_ run: Run) -> Failure {
    let obstacles = [
      "absent", "left", "no_ticker", "descriptors", "handler", "blocked", "refused", "filtered",
      "credentials", "namespace", "overwritten", "coverage", "children", "user_code",
    ].map { "sampler.\($0)" }
    let warning = run.profile?.audit.warnings.first { obstacles.contains($0.code) }
    if warning == nil, let pid {
      return Failure(
        "process \(pid) used no CPU time while it was sampled, so that there is no profile. Sample it "
          + "for longer.")
    }
    guard let warning else {
      if let status = run.launches.last?.status, case .crashed = status {
        return Failure(
          "'\(command[0])' \(status) before the first sample, so that there is no profile. Correct it, or "
            + "raise --rate.")
      }
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
    _ program: [String], by sampler: SamplingEngine, as reason: String, _ obstacle: EventObstacle?,
    _ store: RunStore, _ workspace: Workspace
  ) throws -> Run {
    let variant = Scenario.Variant(name: Run.recordVariant, parameters: [:])
    let scenario = Scenario(
      name: DirectCommand.name(
        of: [redaction.redaction((program[0] as NSString).lastPathComponent)], or: "command"),
      summary: "A recorded program.", workload: "",
      worker: .command(pid == nil ? command : program), variants: [variant],
      defaultVariant: variant.name,
      iterations: 1, warmup: 0, timeout: Self.unlimited, profileRate: rate)
    let started = workspace.now()
    let id = RunIdentifier.make(at: started)
    let folder = (store.path as NSString).deletingLastPathComponent
    var plan = MeasurementPlan(
      scenario: scenario, variant: variant.name, parameters: [:],
      iterations: 1, warmup: 0, rate: rate, seed: seed,
      program: program,
      agent: sampler == .perf
        ? nil
        : try workspace.finder.agent(AgentLibrary(countsAllocations: allocations, rate: rate)),
      cacheDirectory: "\(folder)/data",
      scratchDirectory: "\(folder)/scratch/\(id)")
    plan.isAttended = true
    (plan.engine, plan.engineReason) = (sampler, reason)
    plan.engineObstacle = sampler == .signal ? obstacle?.description : nil
    plan.attachment = pid.map {
      Attachment(
        process: $0, duration: duration?.nanoseconds, isEnded: workspace.isCancelled)
    }
    plan.signal = sampling.signal
    plan.stackBytes = sampling.stackBytes ?? sampler.defaultStackBytes(rate: rate)
    plan.countsAllocations = allocations
    plan.taskLibrary = tasks ? try workspace.finder.agent(.tasks) : nil
    plan.followsChildren = follow
    var draft = RunDraft(
      id: id, started: started, plan: plan, label: label, command: workspace.arguments,
      catalog: .standard, environment: plan.environment(of: nil, in: workspace))
    draft.redaction = redaction.redaction
    // Progress is not displayed: the terminal belongs to the program.
    return try draft.measure(
      nil, in: pid == nil ? workspace : workspace.unstoppable, into: store)
  }

  private func write(_ summary: RunSummary, _ context: Context) throws {
    guard output.output == "-", output.format == .text else {
      return try output.write(
        [summary.document], detail: length.detail(), global: global, context: context)
    }
    let detail = length.detail()
    let text = TextRenderer(width: context.width, detail: detail)
      .render(summary.document.document(detail))
    if !global.quiet { context.console.error("\n" + text.dropLast()) }
  }

  /// Ten years in nanoseconds.
  private static let unlimited: UInt64 = 10 * 365 * 86400 * 1_000_000_000
}
