internal import Glibc

/// The share of trials with an event, with an exact interval.
public enum Proportion {
  /// Returns the share and its interval.
  ///
  /// Events may be possible even if none occurred: for *n* trials without an event the upper limit
  /// is 1 - (1 - `confidence`)^(1/*n*), about 3/*n* at 95 % (the rule of three), and the lower
  /// limit is 0. With events in all trials the limits are mirrored. Otherwise each limit has half
  /// of the error.
  ///
  /// - Throws: `emptySample` or `outOfRange`.
  /// - Note: Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404; for no events Hanley and
  ///   Lippman-Hand 1983, doi:10.1001/jama.1983.03330370053031.
  public static func estimate(
    events: Int, trials: Int, confidence: Double = 0.95
  ) throws(StatisticsError) -> IntervalEstimate {
    try checkConfidence(confidence)
    guard trials > 0 else { throw .emptySample("the trials") }
    precondition((0...trials).contains(events), "\(events) events in \(trials) trials")
    let error = 1 - confidence
    let (low, high): (Double, Double) =
      switch events {
      case 0: (0, 1 - pow(error, 1 / Double(trials)))
      case trials: (pow(error, 1 / Double(trials)), 1)
      default:
        (
          Distributions.binomialParameter(count: trials, atMost: events - 1, has: 1 - error / 2),
          Distributions.binomialParameter(count: trials, atMost: events, has: error / 2)
        )
      }
    return IntervalEstimate(
      value: Double(events) / Double(trials), low: low, high: high, confidence: confidence,
      coverage: confidence, method: .exact, valuesNeeded: 1)
  }

  /// Returns the one-sided upper limit of the share.
  ///
  /// - Throws: `emptySample` or `outOfRange`.
  public static func upperBound(
    events: Int, trials: Int, confidence: Double = 0.95
  ) throws(StatisticsError) -> Double {
    try checkConfidence(confidence)
    guard trials > 0 else { throw .emptySample("the trials") }
    precondition((0...trials).contains(events), "\(events) events in \(trials) trials")
    guard events < trials else { return 1 }
    return Distributions.binomialParameter(count: trials, atMost: events, has: 1 - confidence)
  }
}
