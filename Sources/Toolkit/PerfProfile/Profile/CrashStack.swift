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
