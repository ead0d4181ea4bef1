internal import PerfReport
internal import PerfStatistics

/// The choices of how pairs are made.
public struct PairingSettings: Sendable {
  /// The most pairs of a comparison.
  public var maxPairs: Int
  /// The pairs that are measured even if every metric is decided earlier.
  public var minPairs: Int
  /// Whether different environments are compared nevertheless.
  public var allowsDifferentEnvironments: Bool

  /// Creates settings.
  public init(
    maxPairs: Int = 40, minPairs: Int = 1, allowsDifferentEnvironments: Bool = false
  ) {
    self.maxPairs = maxPairs
    self.minPairs = minPairs
    self.allowsDifferentEnvironments = allowsDifferentEnvironments
  }

  /// Refuses a limit of pairs that permits no verdict.
  ///
  /// - Parameter gatingCount: The number of gating metrics in the whole invocation.
  /// - Throws: `Failure` for wrong usage if the first look comes after more pairs.
  public func check(gatingCount: Int) throws {
    let first = try LookSchedule(metrics: gatingCount).looks[0].pairs
    guard maxPairs >= first else {
      throw Failure(
        "--max-pairs \(maxPairs) is too small: with \(Wording.count(gatingCount, "gating metric")) "
          + "the first verdict is possible after \(first) pairs. Use --max-pairs \(first) or more, "
          + "or fewer scenarios.", status: .usage)
    }
  }
}
