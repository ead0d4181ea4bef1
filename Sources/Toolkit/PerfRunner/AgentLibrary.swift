/// The agent's libraries, by the functions that they interpose.
public enum AgentLibrary: String, CaseIterable, Sendable {
  /// Takes samples and marks.
  case sampling = "libperfkit-agent.so"
  /// Counts every `malloc` as well.
  case counting = "libperfkit-agent-counts.so"
  /// Samples allocations as well, so that every `free` is inspected.
  case heap = "libperfkit-agent-heap.so"
  /// Records the waits of Swift tasks; used besides one of the others, or alone.
  case tasks = "libperfkit-agent-tasks.so"

  /// Chooses the library of a run.
  ///
  /// - Parameters:
  ///   - countsAllocations: Whether the run counts allocations.
  ///   - rate: The samples per second; without samples, allocations are not sampled either.
  public init(countsAllocations: Bool, rate: Int) {
    self = countsAllocations ? (rate > 0 ? .heap : .counting) : .sampling
  }

  /// The environment variable with the path of the library.
  public var variable: String {
    switch self {
    case .sampling: "PERFKIT_AGENT"
    case .counting: "PERFKIT_COUNTS_AGENT"
    case .heap: "PERFKIT_HEAP_AGENT"
    case .tasks: "PERFKIT_TASKS_AGENT"
    }
  }

  /// A name for people.
  public var subject: String {
    switch self {
    case .sampling: "sampling agent"
    case .counting: "counting agent"
    case .heap: "allocation agent"
    case .tasks: "task agent"
    }
  }
}
