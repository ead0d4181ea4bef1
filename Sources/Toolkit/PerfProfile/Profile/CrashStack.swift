internal import Glibc
public import PerfModel

/// The stack of a launch that a signal ended.
struct CrashStack {
  /// The launch's number in the run.
  let launch: Int
  let crash: WalkedSample.Crash
  /// The innermost node of the address tree.
  let node: Int32

  /// The signals that the agent handles: `crash_signals` of its file `crash.c`.
  static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP]

  /// The most frames that are named.
  private static let mostFrames = 16

  /// The most stacks of a run that are named.
  private static let mostStacks = 5

  /// Returns the backtraces of crashes, each signal and stack once.
  static func warnings(of crashes: [CrashStack], _ tree: NamedTree) -> [RunWarning] {
    var known: Set<[Int]> = []
    return crashes.filter {
      known.insert([Int($0.crash.signal), tree.places[Int($0.node)]]).inserted
    }.prefix(mostStacks).map { $0.warning(tree) }
  }

  /// Returns the backtrace, innermost function first.
  private func warning(_ tree: NamedTree) -> RunWarning {
    var frames: [String] = []
    var place = tree.places[Int(node)]
    while place >= 0, frames.count < Self.mostFrames {
      let node = tree.nodes[place]
      let function = tree.functions[node.function]
      let file = function.file.map { path in
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return node.line > 0 ? " (\(name):\(node.line))" : " (\(name))"
      }
      frames.append(function.name + (file ?? ""))
      place = node.parent
    }
    if place >= 0 { frames.append("...") }
    let hasAddress = crash.address != 0 && Launch.Status.signalName(crash.signal) != "SIGABRT"
    return RunWarning(
      code: RunWarning.crashCode,
      message: "launch \(launch) died of \(Launch.Status.signalName(crash.signal))"
        + (hasAddress ? " at 0x\(String(crash.address, radix: 16))" : "") + " in "
        + frames.joined(separator: " < "))
  }
}

extension ProfileBuilder {
  /// Returns the warning that a signal ended a launch and left no stack; nil if there is a stack, or if the
  /// signal is none of a crash.
  public func warning(
    ofCrash signal: Int32, launch: Int, engine: SamplingEngine
  ) -> RunWarning? {
    guard CrashStack.signals.contains(signal), !crashes.contains(where: { $0.launch == launch })
    else { return nil }
    let (reason, remedy) =
      switch engine {
      case .signal:
        (
          "the stack overflowed, the program handled or blocked the signal, or it ran without the "
            + "agent", "Run it in a debugger, or with core files."
        )
      case .perf: ("the kernel's engine takes none", "Repeat it with --engine signal.")
      }
    return RunWarning(
      code: "launch.no_stack",
      message: "launch \(launch) died of \(Launch.Status.signalName(signal)) and left no stack: "
        + reason,
      remedy: remedy)
  }
}
