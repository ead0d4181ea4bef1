internal import Glibc
public import PerfModel

/// The crashes of a run's launches.
struct Crashes {
  /// The signals that the agent handles: `crash_signals` of its file `crash.c`.
  static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP]

  /// The most stacks of a run that are named.
  private static let mostStacks = 5

  /// The crashes whose stacks were copied.
  var stacks: [CrashStack] = []
  /// The first crash without a stack.
  var stackless: StacklessCrash?

  /// Returns the backtraces, each signal and stack once, and the last sample before the crash without a
  /// stack.
  func warnings(_ tree: NamedTree) -> [RunWarning] {
    var known: Set<[Int]> = []
    let copied = stacks.filter {
      known.insert([Int($0.crash.signal), tree.places[Int($0.node)]]).inserted
    }
    return copied.prefix(Self.mostStacks).map { $0.warning(tree) }
      + [stackless?.warning(tree)].compactMap(\.self)
  }
}

extension ProfileBuilder {
  /// Notes that a signal ended the launched program, after its samples and before those of its children.
  ///
  /// If it is a signal of a crash, and the samples have no stack of it, the profile has a warning with the
  /// stack of the last sample.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - launch: The launch's number in the run.
  ///   - engine: The engine that took the samples.
  ///   - phase: The time from the start of the measured phase to the program's end in nanoseconds.
  public func addCrash(
    of signal: Int32, launch: Int, engine: SamplingEngine, after phase: UInt64
  ) {
    guard crashes.stackless == nil, Crashes.signals.contains(signal),
      !crashes.stacks.contains(where: { $0.launch == launch })
    else { return }
    let running = (timeline[launch] ?? []).filter { $0.state == .running }
    let isOfSeveral = Set(running.map(\.serial)).count > 1
    crashes.stackless = StacklessCrash(
      launch: launch, signal: signal, engine: engine,
      last: running.last.map {
        (
          $0.node, phase - min($0.time, phase),
          isOfSeveral ? threads.all[Int($0.thread)] : nil
        )
      })
  }
}
