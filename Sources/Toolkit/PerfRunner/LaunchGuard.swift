internal import CLinux
internal import Glibc
internal import PerfModel
internal import Synchronization

/// The processes of a run: its launches and everything that they start.
///
/// Each launch has a variable that names the harness and the run, and its descendants inherit it. A
/// guard process ends them and the launch's process group when the harness ends, also by SIGKILL.
struct LaunchGuard {
  private static let variable = "PERFKIT_LAUNCHED_BY"
  /// The variable of a hook, which the guard process does not know: its servers outlive launches.
  private static let hookVariable = "PERFKIT_HOOK_OF"
  private static let runs = Atomic<UInt32>(0)

  /// Names this process: its number and the time of its first launch.
  ///
  /// All marks have the same length, because the length of the environment moves a program's stack.
  private static let harness =
    NumberFormat.padded(getpid(), to: 10) + "-" + NumberFormat.padded(SystemCalls.now(), to: 20)

  /// The descriptor that keeps the guard waiting; negative if there is none.
  private static let descriptor = clinux_start_guard("\(variable)=\(harness)")

  private let variable: String
  private let mark: String

  /// Creates the mark of a run, or of a hook, and starts the guard before the first run.
  init(ofHook isOfHook: Bool = false) {
    if !isOfHook { _ = Self.descriptor }
    variable = isOfHook ? Self.hookVariable : Self.variable
    let run = Self.runs.add(1, ordering: .relaxed).newValue
    mark = Self.harness + "-" + NumberFormat.padded(run, to: 10)
  }

  /// Marks a launch.
  func mark(_ launch: inout WorkerProcess.Configuration) {
    launch.environment[variable] = mark
    launch.isGuarded = true
  }

  /// Kills the processes that the launches have left, and describes them.
  ///
  /// - Returns: A warning, or nil if there are none.
  func endAll() -> RunWarning? {
    var names: [pid_t: String] = [:]
    // A process may start another one at the moment of a look.
    for _ in 0..<10 {
      var found = [Int32](repeating: 0, count: 256)
      let count = clinux_processes_with("\(variable)=\(mark)", &found, Int32(found.count))
      guard count > 0 else { break }
      for process in found[..<Int(count)] {
        names[process] = SystemCalls.name(ofProcess: process)
        kill(process, SIGKILL)
      }
      SystemCalls.sleep(until: SystemCalls.now() + 2_000_000)
    }
    guard !names.isEmpty else { return nil }
    let list = names.sorted { $0.key < $1.key }.prefix(5).map { "\($0.value) (\($0.key))" }
    let count = NumberFormat.grouped(names.count) + (names.count == 1 ? " process" : " processes")
    return RunWarning(
      code: "launch.left",
      message: "the launches left \(count) running, which perfkit ended: "
        + list.joined(separator: ", ") + (names.count > list.count ? ", ..." : ""),
      remedy: "Let the command wait for what it starts, or stop it in `cleanup`.")
  }
}
