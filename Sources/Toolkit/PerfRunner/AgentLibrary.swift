/// The agent's libraries, by what a program gives up for what is measured of it.
public enum AgentLibrary: String, CaseIterable, Sendable {
  /// Samples, and marks.
  case sampling = "libperfkit-agent.so"
  /// As above, and every `malloc` is counted.
  case counting = "libperfkit-agent-counts.so"
  /// As above, and some allocations are sampled, so that every `free` is looked at as well.
  case heap = "libperfkit-agent-heap.so"

  /// Chooses what a run takes.
  ///
  /// - Parameters:
  ///   - countsAllocations: Whether it counts allocations.
  ///   - rate: Its samples a second; without any, allocations are not sampled either.
  public init(countsAllocations: Bool, rate: Int) {
    self = countsAllocations ? (rate > 0 ? .heap : .counting) : .sampling
  }

  /// The environment variable that says where it lies.
  public var variable: String {
    switch self {
    case .sampling: "PERFKIT_AGENT"
    case .counting: "PERFKIT_COUNTS_AGENT"
    case .heap: "PERFKIT_HEAP_AGENT"
    }
  }

  /// What it is, for people.
  public var subject: String {
    switch self {
    case .sampling: "sampling agent"
    case .counting: "counting agent"
    case .heap: "allocation agent"
    }
  }
}
