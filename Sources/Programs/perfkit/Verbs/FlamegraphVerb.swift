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

      With --against, red functions take more CPU time a launch than in that run, blue ones less; \
      those whose change may be chance are grey.

      Example:
        perfkit flamegraph latest --output flames.svg
        perfkit flamegraph scroll-1000:naive --only-missed-frames --output missed.svg
        perfkit flamegraph latest --state waiting --thread main --output waits.svg
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

  @Option(help: ArgumentHelp("Only this thread.", valueName: "name"))
  var thread: String?

  @Option(help: ArgumentHelp("Only this phase.", valueName: "name"))
  var phase: String?

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

  func perform(_ context: Context) throws -> ExitStatus {
    let stored = try StoredRuns(global, context)
    let run = names.apply(to: try stored.run(reference, including: [.profile]))
    let options = FlameOptions(
      onlyMissedFrames: onlyMissedFrames, thread: thread, phase: phase, state: state.value,
      isReversed: reverse)
    try run.checkNames(thread: thread, phase: phase)
    let graph: FlameGraph?
    if let against {
      let base = names.apply(to: try stored.run(against, including: [.profile]))
      graph = FlameGraph(
        run, against: base, options: options,
        functions: state == .running ? FunctionComparer().compare(base, run) : [])
    } else {
      graph = FlameGraph(run, options: options)
    }
    guard let graph else {
      throw Failure(
        "run \(run.id) has no samples to draw. "
          + "Measure it without --no-profile, or ask for fewer restrictions.")
    }
    try context.write(graph.svg(), to: output)
    return .done
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
