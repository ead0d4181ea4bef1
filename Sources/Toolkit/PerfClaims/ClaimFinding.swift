internal import PerfModel
internal import PerfStatistics

/// The verdict on a claim.
public enum ClaimVerdict: String, Sendable, CaseIterable {
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
  struct Figure: Hashable {
    /// The estimate with its interval, in base units.
    let estimate: IntervalEstimate
    /// The dimension; nil for a plain number.
    let dimension: Dimension?
    /// The number of launches; 0 for a computed figure.
    let launches: Int
  }

  /// The verdict.
  public let verdict: ClaimVerdict
  /// The reason in a sentence; empty if the figures suffice.
  public let reason: String
  /// The value before the change, if the claim has such a run.
  var before: Figure?
  /// The value after the change, or the only or computed value.
  var after: Figure?
  /// The change from before to after, if the claim is about it.
  var change: Figure?
  /// Whether the interval, widened by the drift between sessions, contains a limit.
  var isClose = false
  var runs: [String] = []
}
