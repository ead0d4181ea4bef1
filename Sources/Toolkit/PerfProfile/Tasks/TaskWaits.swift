public import PerfModel

/// The waits of the Swift tasks of a process in the measured phase.
public struct TaskWaits: Hashable, Sendable {
  /// The number of waits and their time.
  struct Sum: Hashable, Sendable {
    var count = 0
    /// Nanoseconds.
    var time: UInt64 = 0
    /// The longest of the waits in nanoseconds.
    var longest: UInt64 = 0

    /// Adds one wait.
    mutating func add(_ time: UInt64) { add(Sum(count: 1, time: time, longest: time)) }

    mutating func add(_ other: Sum) {
      count = count.addingClamped(UInt64(other.count))
      time = time.addingClamped(other.time)
      longest = max(longest, other.longest)
    }
  }

  /// What a task waits for (`enum perfkit_task_wait`).
  enum Kind: Int {
    case other
    case continuation
    case future
    case asyncLet
    case group
    case actor
    case thread

    /// The name of the node of a wait, in brackets as for every node that is no function.
    var name: String {
      switch self {
      case .other: "[other wait]"
      case .continuation: "[continuation]"
      case .future: "[task's result]"
      case .asyncLet: "[async let]"
      case .group: "[task group]"
      case .actor: "[actor]"
      case .thread: "[thread of the pool]"
      }
    }
  }

  /// The waits with one stack.
  struct Stack: Hashable, Sendable {
    let kind: Kind
    /// The name of the tasks; empty without one.
    let name: String
    /// The code after each `await`, innermost first.
    let addresses: [UInt64]
    /// Whether outer callers are missing.
    let isTruncated: Bool
    /// The return addresses of the functions that made the tasks, innermost first; empty if unknown.
    let makers: [UInt64]
    let sum: Sum
  }

  /// The process; 0 if no process ran a task.
  public let process: Int32
  /// Other processes that ran tasks, whose waits are not recorded.
  let otherProcesses: Int
  /// Task switches that were not recorded, because the runtime has an unknown layout.
  let unknown: Int
  var stacks: [Stack] = []
  /// Waits without a stack, because a table was full.
  var lost = Sum()
  /// Waits that had not ended at the end of the measured phase.
  var unfinished = 0
  /// Counters that no process can have reached, which are left out.
  var overwritten = 0

  init(process: Int32, otherProcesses: Int = 0, unknown: Int = 0) {
    (self.process, self.otherProcesses, self.unknown) = (process, otherProcesses, unknown)
  }
}

extension TaskWaits {
  /// Returns the problems that a reader of the waits must know.
  ///
  /// - Parameter capture: The capture of the process; nil if the process was not sampled.
  /// - Returns: The warnings.
  public func warnings(in capture: Capture?) -> [RunWarning] {
    var warnings: [RunWarning] = []
    if process == 0, unknown == 0 {
      warnings.append(Self.noTask(capture))
    } else if capture == nil {
      warnings.append(
        RunWarning(
          code: "tasks.process",
          message:
            "the tasks ran in process \(process), which was not sampled, so that their waits are not "
            + "shown",
          remedy: "Record that program itself, or add --follow."))
    }
    if otherProcesses > 0 {
      warnings.append(
        RunWarning(
          code: "tasks.processes",
          message:
            "\(otherProcesses) more processes ran tasks; only those of process \(process) are shown",
          remedy: "Record the other programs themselves."))
    }
    if unknown > 0 {
      warnings.append(
        RunWarning(
          code: "tasks.layout",
          message:
            "\(unknown) switches of tasks were not recorded: this version of Swift keeps tasks in an "
            + "unknown form", remedy: "Use a newer PerfKit."))
    }
    if lost.count > 0 {
      let time = NumberFormat.human(Double(lost.time), .time)
      warnings.append(
        RunWarning(
          code: "tasks.lost",
          message:
            "\(lost.count) waits of tasks with \(time) in total have no stack: too many tasks or "
            + "different stacks", remedy: "Record a shorter execution."))
    }
    if overwritten > 0 {
      warnings.append(
        RunWarning(
          code: "tasks.overwritten",
          message:
            "the program overwrote the waits of its tasks in the shared memory, so that those of "
            + "\(overwritten) stacks are left out",
          remedy: "Look for memory errors in the program, e.g. with -fsanitize=address."))
    }
    if unfinished > 0 {
      warnings.append(
        RunWarning(
          code: "tasks.unfinished",
          message: "\(unfinished) waits of tasks had not ended; they count up to the end"))
    }
    return warnings
  }

  private static func noTask(_ capture: Capture?) -> RunWarning {
    let modules = capture?.moduleLists.last?.modules ?? []
    let hasLibrary = modules.contains { $0.path.contains("/libswift_Concurrency.so") }
    return hasLibrary
      ? RunWarning(
        code: "tasks.none",
        message: "the program ran no Swift task, so that there are no waits of tasks")
      : RunWarning(
        code: "tasks.absent",
        message:
          "no Swift task was seen: the program did not load libswift_Concurrency.so. It has no Swift "
          + "tasks, or contains Swift's libraries (-static-stdlib)",
        remedy: "Link a Swift program dynamically, without -static-stdlib.")
  }
}
