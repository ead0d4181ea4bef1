/// Quantiles of a sample and their confidence intervals.
///
/// The definition is type 7 of Hyndman and Fan: the quantile of probability q of the ascending
/// values x[0], ..., x[n-1] is at position h = (n - 1) q, by linear interpolation between the
/// neighbouring values. It is the default in R, NumPy, Excel and Julia. The median of an even
/// number of values is the mean of the middle two.
///
/// - Note: Hyndman and Fan 1996, doi:10.1080/00031305.1996.10473566.
public enum Quantiles {
  /// Returns the quantile of a probability in 0...1; 0 is the smallest value, 1 the largest.
  ///
  /// - Throws: `emptySample`, `notFinite` or `outOfRange`.
  public static func quantile(
    _ probability: Double, of values: [Double]
  ) throws(StatisticsError) -> Double {
    guard (0...1).contains(probability) else {
      throw .outOfRange(parameter: "the quantile's probability", value: probability, range: "0...1")
    }
    return ofSorted(try checked(values, "the sample").sorted(), probability)
  }

  /// Returns the median.
  ///
  /// - Throws: `emptySample` or `notFinite`.
  public static func median(of values: [Double]) throws(StatisticsError) -> Double {
    ofSorted(try checked(values, "the sample").sorted(), 0.5)
  }

  /// Returns a quantile with its distribution-free confidence interval.
  ///
  /// The number of values below the true quantile is binomial for any distribution, so the limits
  /// are order statistics, and the coverage is at least the confidence. Both tails have half of the
  /// error. A limit is missing if there are too few values: a median at 95 % needs 6 values, the
  /// upper limit of p95 needs 72.
  ///
  /// - Throws: `emptySample` or `notFinite`; `outOfRange` unless probability and confidence are
  ///   strictly between 0 and 1.
  /// - Note: Hahn and Meeker 1991, Statistical Intervals, section 5.2.
  public static func estimate(
    _ probability: Double, of values: [Double], confidence: Double = 0.95
  ) throws(StatisticsError) -> IntervalEstimate {
    try checkConfidence(confidence)
    guard probability > 0, probability < 1 else {
      throw .outOfRange(
        parameter: "the quantile's probability", value: probability,
        range: "between 0 and 1, both excluded")
    }
    let sorted = try checked(values, "the sample").sorted()
    let count = sorted.count
    let tail = (1 - confidence) / 2
    // The lower limit is the l-th smallest value for the largest l with P(B <= l - 1) <= tail,
    // where B counts values below the quantile. The upper limit mirrors it.
    let below = Distributions.binomialCumulative(count: count, probability: probability)
    let above = Distributions.binomialCumulative(count: count, probability: 1 - probability)
    let lower = countBelow(tail: tail, in: below)
    let upper = countBelow(tail: tail, in: above)
    let hasBoth = lower >= 1 && upper >= 1
    return IntervalEstimate(
      value: ofSorted(sorted, probability),
      low: lower >= 1 ? sorted[lower - 1] : nil,
      high: upper >= 1 ? sorted[count - upper] : nil,
      confidence: confidence,
      coverage: hasBoth ? 1 - below[lower - 1] - above[upper - 1] : nil,
      method: .exact,
      valuesNeeded: valuesNeeded(probability, tail: tail))
  }

  /// Returns the quantile of ascending, finite values, at least one.
  package static func ofSorted(_ sorted: [Double], _ probability: Double) -> Double {
    let position = Double(sorted.count - 1) * probability
    let index = min(Int(position), sorted.count - 1)
    let next = min(index + 1, sorted.count - 1)
    let share = position - Double(index)
    return sorted[index] + share * (sorted[next] - sorted[index])
  }

  /// Returns the smallest n with (1 - q)^n <= tail and q^n <= tail.
  private static func valuesNeeded(_ probability: Double, tail: Double) -> Int {
    let harder = max(probability, 1 - probability)
    var count = 0
    var power = 1.0
    while power > tail * roundingSlack {
      power *= harder
      count += 1
    }
    return count
  }
}
