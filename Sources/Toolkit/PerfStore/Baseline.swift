public import PerfModel

/// A name for some stored runs that later ones are measured against.
public struct Baseline: Hashable, Sendable {
  /// Its name.
  public let name: String
  /// When it was last saved.
  public let saved: Timestamp
  /// Its runs, each a session of its own, in the order in which they were put in.
  public let runs: [RunHeader]
}
