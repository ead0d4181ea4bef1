public import PerfModel

/// A named list of stored runs that later runs are compared with.
public struct Baseline: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The time of the last save.
  public let saved: Timestamp
  /// The runs, each a session, in the order of adding.
  public let runs: [RunHeader]
}
