internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfStatistics
internal import PerfStore

/// The verb `perfkit flamegraph REF -o FILE.svg`.
struct FlamegraphVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "flamegraph",
    abstract: "Draw a run's CPU time as a flame graph, or its change against another run.",
    discussion: """
      --state waiting shows wall time instead: what threads waited for, and who called it. \
      --state runnable shows where they wanted to run and had no CPU.

      --allocations shows memory, of a run measured with --allocations: all that was asked for, or \
      with --live what of it was there at the peak or at the end.

      With --against, red functions take more CPU time a launch than in that run, blue ones less; \
      those whose change may be chance are grey.

      Example:
        perfkit flamegraph latest --output flames.svg
        perfkit flamegraph scroll-1000:naive --only-missed-frames --output missed.svg
        perfkit flamegraph latest --state waiting --thread main --output waits.svg
        perfkit flamegraph latest --allocations --live peak --output memory.svg
        perfkit flamegraph scroll-1000:optimised --against scroll-1000:naive --output change.svg
      """)

  @Argument(help: "Which run.")
  var reference = "latest"

  @Option(help: ArgumentHelp("The run to compare with.", valueName: "ref"))
  var against: String?

  @Flag(name: .customLong("only-missed-frames"), help: "Only frames that missed their refresh.")
  var onlyMissedFrames = false

  @Option(
    help: ArgumentHelp(
      "What the threads did: running, runnable or waiting.", valueName: "state"))
  var state = ThreadState.running

  @Flag(help: "Allocated memory instead of time, of a run measured with --allocations.")
  var allocations = false

  @Option(
    help: ArgumentHelp(
      "With --allocations, only what was live at the peak or at the end: peak or end.",
      valueName: "when"))
  var live: Moment?

  @Option(help: ArgumentHelp("Only this thread.", valueName: "name"))
  var thread: String?

  @Option(help: ArgumentHelp("Only this phase.", valueName: "name"))
  var phase: String?

  @Option(
    help: ArgumentHelp("Only samples whose innermost signpost is this one.", valueName: "name"))
  var signpost: String?

  @Flag(help: "Innermost functions first, with their callers below.")
  var reverse = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The SVG file; - is standard output.", valueName: "file"))
  var output: String

  @OptionGroup
  var names: NameOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  /// When memory was live.
  enum Moment: String, ExpressibleByArgument, CaseIterable {
    case peak, end
  }

  func validate() throws {
    if live != nil, !allocations { throw ValidationError("--live goes with --allocations.") }
    if allocations, state != .running {
      throw ValidationError("--allocations shows memory, which has no --state: leave one out.")
    }
  }

  private var shownState: Profile.State {
    switch live {
    case .peak: .livePeak
    case .end: .liveEnd
    case nil: allocations ? .allocated : state.value
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let stored = try StoredRuns(global, context)
    let run = names.apply(to: try stored.run(reference, including: [.profile]))
    let filter = SampleFilter(
      thread: thread, phase: phase, signpost: signpost, onlyMissedFrames: onlyMissedFrames)
    let options = FlameOptions(filter, state: shownState, isReversed: reverse)
    try run.checkNames(thread: thread, phase: phase, signpost: signpost)
    try checkMemory(of: run)
    let graph: FlameGraph?
    if let against {
      let base = names.apply(to: try stored.run(against, including: [.profile]))
      try checkMemory(of: base)
      graph = FlameGraph(
        run, against: base, options: options,
        functions: shownState == .running ? FunctionComparer().compare(base, run) : [])
    } else {
      graph = FlameGraph(run, options: options)
    }
    guard let graph, !graph.isEmpty else {
      throw Failure(
        "run \(run.id) has no samples to draw. "
          + "Measure it for longer and without --no-profile, or ask for fewer restrictions.")
    }
    global.warn(graph.warnings, context)
    try context.write(graph.svg(), to: output)
    return .done
  }

  /// Says what to do when there is no memory to draw.
  private func checkMemory(of run: Run) throws {
    guard allocations else { return }
    let states = Set(run.profile?.counts.map(\.state) ?? [])
    guard !states.contains(shownState) else { return }
    if run.launches.allSatisfy({ $0.metrics[MetricName.allocCount] == nil }) {
      throw Failure(
        "run \(run.id) was measured without --allocations. Measure it again with it.")
    }
    if let live, states.contains(.allocated) {
      throw Failure(
        "nothing that was recorded in run \(run.id) was live at the \(live.rawValue). "
          + "Leave out --live to see all that was allocated.")
    }
    throw Failure(
      "run \(run.id) has no recorded allocation: of so few bytes none may be. Measure it for longer, "
        + "and without --no-profile.")
  }
}

extension FlamegraphVerb {
  /// A state of threads as the command line says it.
  enum ThreadState: String, ExpressibleByArgument, CaseIterable {
    case running, runnable, waiting

    var value: Profile.State {
      switch self {
      case .running: .running
      case .runnable: .runnable
      case .waiting: .waiting
      }
    }
  }
}
