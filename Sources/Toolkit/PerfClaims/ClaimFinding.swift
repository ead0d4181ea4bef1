internal import PerfModel
internal import PerfStatistics

/// The verdict on a claim.
public enum ClaimVerdict: String, Sendable, CaseIterable {
  /// The interval is within the allowed range.
  case reproduced
  /// The interval is outside of the allowed range.
  case contradicted
  /// The interval reaches both inside and outside of the allowed range.
  case undecided
  /// The evidence repeats an input of the measurement, as it should.
  case stated
  /// The claim cannot be tested on a machine without a screen, or by its scenario.
  case notTestable
  /// The scenario, its parameters or its program changed since the run.
  case stale
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

  /// The explanation of a contradiction with the result of its test.
  struct Cause: Hashable {
    /// The explanation; nil if it is unknown.
    let text: String?
    /// Whether the measurement confirms it; nil without a measurement.
    let isShown: Bool?
    /// The measurement in words; may be empty.
    var test = ""
  }

  /// The verdict.
  public internal(set) var verdict: ClaimVerdict
  /// The reason in a sentence; empty if the figures suffice.
  public internal(set) var reason: String
  /// The value before the change, if the claim has such a run.
  var before: Figure?
  /// The value after the change, or the only or computed value.
  var after: Figure?
  /// The change from before to after, if the claim is about it.
  var change: Figure?
  /// Whether the interval, widened by the drift between sessions, reaches inside and outside.
  var isClose = false
  /// The explanation of a contradiction.
  var cause: Cause?
  /// The verdict before the finding became stale.
  var last: ClaimVerdict?
  /// The IDs of the runs, those of the cause included.
  var runs: [String] = []
}
