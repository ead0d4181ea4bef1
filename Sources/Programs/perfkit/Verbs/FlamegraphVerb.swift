internal import ArgumentParser
internal import Foundation
internal import PerfGate
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
      --state waiting shows the wall time that threads waited, by the functions that called the \
      wait. --state runnable shows the time that threads were ready to run but had no CPU. \
      --state suspended shows the time that Swift tasks waited, for a run measured with --tasks.

      --allocations shows memory, for a run measured with --allocations: all allocated bytes, or \
      with --live the bytes that were live at the peak or at the end.

      --slowest compares the slowest spans of --signpost or --phase with the middle half of them, in \
      the same colours as --against.

      With --against, functions that take more CPU time per launch than in that run are red, those \
      that take less are blue, and those whose change may be noise are grey.

      Example:
        perfkit flamegraph latest --output flames.svg
        perfkit flamegraph scroll-1000:naive --only-missed-frames --output missed.svg
        perfkit flamegraph scroll-1000:naive --state waiting --output waits.svg
        perfkit flamegraph latest --allocations --live peak --output memory.svg
        perfkit flamegraph latest --against scroll-1000:naive -o change.svg
        perfkit flamegraph latest --signpost decode --slowest 1% -o slow.svg
      """)

  @Argument(help: "The run, as in `perfkit show --help`.")
  var reference = "latest"

  @Option(help: ArgumentHelp("Compare with this run.", valueName: "ref"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Show threads in this state: running, runnable or waiting; or suspended tasks.",
      valueName: "state"))
  var state = ThreadState.running

  @Flag(help: "Show allocated memory instead of time, for a run measured with --allocations.")
  var allocations = false

  @Option(
    help: ArgumentHelp(
      "With --allocations: show only memory that was live at the peak or at the end.",
      valueName: "peak|end"))
  var live: Moment?

  @Flag(help: "Show innermost functions first, with their callers below.")
  var reverse = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this SVG file; - is standard output.", valueName: "file"))
  var output: String

  @OptionGroup
  var names: NameOptions

  @OptionGroup
  var folding: FoldingOptions

  @OptionGroup
  var selection: FilterOptions

  @OptionGroup
  var spans: SlowestOption

  @OptionGroup(title: "General")
  var global: GlobalOptions

  /// The time at which memory was live.
  enum Moment: String, ExpressibleByArgument, CaseIterable {
    case peak, end
  }

  /// The state of threads or tasks.
  enum ThreadState: String, ExpressibleByArgument, CaseIterable {
    case running, runnable, waiting, suspended

    var value: Profile.State {
      switch self {
      case .running: .running
      case .runnable: .runnable
      case .waiting: .waiting
      case .suspended: .suspended
      }
    }
  }

  func validate() throws {
    let ending = (output as NSString).pathExtension
    if !["", "svg"].contains(ending.lowercased()), !output.hasPrefix("/dev/") {
      let name = (output as NSString).deletingPathExtension
      throw ValidationError(
        "flame graphs are written as SVG, not as \(ending): pass --output \(name).svg.")
    }
    if live != nil, !allocations { throw ValidationError("--live needs --allocations.") }
    if allocations, state != .running {
      throw ValidationError("--allocations shows memory, not thread states: leave out --state.")
    }
    if try choice != nil, against != nil || allocations {
      throw ValidationError(
        "--slowest compares the time of a run's spans: leave out "
          + (against != nil ? "--against." : "--allocations."))
    }
  }

  private var choice: SlowSpans.Choice? {
    get throws { try spans.choice(signpost: selection.signpost, phase: selection.phase) }
  }

  private var shownState: Profile.State {
    switch live {
    case .peak: .livePeak
    case .end: .liveEnd
    case nil: allocations ? .allocated : state.value
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let store = try global.readOnlyStore(context)
    let choice = try choice
    let run = folding.apply(
      to: names.apply(
        to: try store.run(
          reference, including: choice == nil ? [.profile] : [.profile, .timeline, .spans])))
    try run.checkSampling()
    let graph = try choice.map { try slowest($0, of: run) } ?? graph(of: run, in: store)
    guard let graph, !graph.isEmpty else {
      if shownState == .suspended,
        !(run.profile?.counts.contains { $0.state == .suspended } ?? false)
      {
        throw Failure("run \(run.id) has no waits of tasks. Measure it again with --tasks.")
      }
      if let live, run.profile?.counts.contains(where: { $0.state == .allocated }) ?? false {
        throw Failure(
          "no sampled allocation of run \(run.id) was live at its \(live.rawValue). --allocations "
            + "without --live draws all allocations.")
      }
      throw Failure(
        "run \(run.id) has no samples to draw. Leave out some filters, or measure it longer and "
          + "without --no-profile.")
    }
    global.warn(graph.warnings, context)
    try context.write(graph.svg(), to: output)
    return .done
  }

  private func slowest(_ choice: SlowSpans.Choice, of run: Run) throws -> FlameGraph {
    // The names choose the spans; the samples in them may have other innermost signposts.
    var others = selection
    (others.signpost, others.phase) = (nil, nil)
    return FlameGraph(
      try SlowSpans.select(choice, of: run),
      options: FlameOptions(try others.filter(of: run), state: shownState, isReversed: reverse))
  }

  private func graph(of run: Run, in store: RunStore) throws -> FlameGraph? {
    let options = FlameOptions(
      try selection.filter(of: run), state: shownState, isReversed: reverse)
    try checkMemory(of: run)
    if let against {
      let base = folding.apply(to: names.apply(to: try store.run(against, including: [.profile])))
      try checkMemory(of: base)
      try checkMeasures(of: base, run)
      return FlameGraph(
        run, against: base, options: options,
        functions: shownState == .running ? FunctionComparer().compare(base, run) : [])
    }
    return FlameGraph(run, options: options)
  }

  /// Refuses two profiles whose weights cannot be subtracted.
  private func checkMeasures(of base: Run, _ candidate: Run) throws {
    guard shownState == .running, let old = base.profile?.measure,
      let new = candidate.profile?.measure, !new.isComparable(to: old)
    else { return }
    throw Failure(
      "the weights of run \(base.id) are \(old.name) and those of run \(candidate.id) are "
        + "\(new.name), which cannot be subtracted. Import both from files with the same unit, or "
        + "state the time of a sample by `import profile --interval`.")
  }

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
        "run \(run.id) has no sampled allocation that was live at the \(live.rawValue). "
          + "Leave out --live to show all allocations.")
    }
    throw Failure(
      "run \(run.id) has no sampled allocation: it may allocate too little. Measure it longer, and "
        + "without --no-profile.")
  }
}
