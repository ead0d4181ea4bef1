public import PerfModel
public import PerfStatistics

/// The verdict on a claim.
public enum ClaimVerdict: String, Hashable, Sendable, CaseIterable {
  /// The estimate is within the allowed range.
  case reproduced
  /// The estimate is outside the allowed range.
  case contradicted
  /// The claim cannot be tested on a machine without a screen.
  case notTestable
  /// There is no run, or the run lacks the metric.
  case notMeasured
}

/// The verdict on a claim with the figures that it is based on.
public struct ClaimFinding: Hashable, Sendable {
  /// An estimate with its dimension.
  public struct Figure: Hashable, Sendable {
    /// The estimate with its interval, in base units.
    public let estimate: IntervalEstimate
    /// The dimension; nil for a plain number.
    public let dimension: Dimension?
    /// The number of launches; 0 for a computed figure.
    public let launches: Int
  }

  /// The verdict.
  public let verdict: ClaimVerdict
  /// The reason in a sentence; empty if the figures suffice.
  public let reason: String
  /// The value before the change, if the claim has such a run.
  public var before: Figure?
  /// The value after the change, or the only or computed value.
  public var after: Figure?
  /// The change from before to after, if the claim is about it.
  public var change: Figure?
  /// Whether the interval, widened by the drift between sessions, contains a limit.
  public var isClose = false
  /// The IDs of the runs.
  public var runs: [String] = []
}
