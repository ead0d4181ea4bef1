internal import PerfModel

/// The stack of a launch that a signal ended.
struct CrashStack {
  /// The launch's number in the run.
  let launch: Int
  let crash: WalkedSample.Crash
  /// The innermost node of the address tree.
  let node: Int32

  /// The most frames that are named.
  private static let mostFrames = 16

  /// Returns the backtrace, innermost function first.
  func warning(_ tree: NamedTree) -> RunWarning {
    let hasAddress = crash.address != 0 && Launch.Status.signalName(crash.signal) != "SIGABRT"
    return RunWarning(
      code: RunWarning.crashCode,
      message: "launch \(launch) died of \(Launch.Status.signalName(crash.signal))"
        + (hasAddress ? " at 0x\(String(crash.address, radix: 16))" : "") + " in "
        + Self.functions(from: node, tree))
  }

  /// Returns the functions of a stack, innermost first.
  static func functions(from node: Int32, _ tree: NamedTree) -> String {
    var frames: [String] = []
    var place = tree.places[Int(node)]
    while place >= 0, frames.count < mostFrames {
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
    return frames.joined(separator: " < ")
  }
}

/// A launch that a signal of a crash ended without leaving a stack.
struct StacklessCrash {
  let launch: Int
  let signal: Int32
  let engine: SamplingEngine
  /// The innermost node of the last sample of a running thread, its time before the end in nanoseconds, and
  /// the thread if there are several; nil without a sample.
  let last: (node: Int32, age: UInt64, thread: String?)?

  /// Returns the warning of the crash, with the last sample.
  func warning(_ tree: NamedTree) -> RunWarning {
    let (reason, remedy) =
      switch engine {
      case .signal:
        (
          "the stack overflowed, the program handled or blocked the signal, or it ran without the "
            + "agent", "Run it in a debugger, or with core files."
        )
      case .perf: ("the kernel's engine takes none", "Repeat it with --engine signal.")
      }
    let sample = last.map { node, age, thread in
      ". Its last sample, \(NumberFormat.human(Double(age), .time, digits: 2)) before its end, is "
        + (thread.map { "of thread '\($0)' " } ?? "") + "in "
        + CrashStack.functions(from: node, tree)
    }
    return RunWarning(
      code: RunWarning.noStackCode,
      message: "launch \(launch) died of \(Launch.Status.signalName(signal)) and left no stack: "
        + reason + (sample ?? ""),
      remedy: remedy)
  }
}
