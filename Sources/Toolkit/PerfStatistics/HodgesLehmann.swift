/// Hodges-Lehmann estimates of a centre and of a shift, with distribution-free intervals.
///
/// They are nearly as precise as the mean on clean data, and robust against outliers. Their
/// intervals contain the values that the rank tests do not reject, so interval and test agree. With
/// ties the coverage is at least the stated one.
///
/// - Note: Hodges and Lehmann 1963, doi:10.1214/aoms/1177704172; intervals as in Hollander, Wolfe
///   and Chicken 2014, sections 3.2, 3.3, 4.2 and 4.3.
public enum HodgesLehmann {
  /// Returns the centre of a sample of paired differences: the median of the Walsh averages.
  ///
  /// The interval is exact up to `SignedRank.exactLimit` values, otherwise from the normal
  /// approximation of the signed rank sum. Complexity: O(*n*² log *n*) time, O(*n*²) memory;
  /// O(*n*³) time if exact.
  ///
  /// - Throws: `emptySample`, `notFinite` or `outOfRange`.
  public static func center(
    of values: [Double], confidence: Double = 0.95
  ) throws(StatisticsError) -> IntervalEstimate {
    try checkConfidence(confidence)
    let means = try WalshAverages(values).sorted
    let tail = (1 - confidence) / 2
    let n = Double(values.count)
    let limits: Limits
    if values.count <= SignedRank.exactLimit {
      limits = .exact(RankDistribution.ofSigns(values.count), tail: tail)
    } else {
      limits = .approximate(
        mean: n * (n + 1) / 4, variance: n * (n + 1) * (2 * n + 1) / 24, tail: tail)
    }
    // Equal signs have probability 2^-n.
    var needed = 1
    var power = 0.5
    while power > tail * roundingSlack {
      power /= 2
      needed += 1
    }
    return limits.estimate(from: means, confidence: confidence, valuesNeeded: needed)
  }

  /// Returns the shift between two samples: the median of all differences second minus first.
  ///
  /// The interval is exact below 50 values per side, otherwise from the normal approximation of U.
  /// Complexity: O(*m* *n* log(*m* *n*)) time, O(*m* *n*) memory; O(*m*² *n*²) time if exact.
  ///
  /// - Throws: `emptySample`, `notFinite` or `outOfRange`.
  public static func shift(
    from first: [Double], to second: [Double], confidence: Double = 0.95
  ) throws(StatisticsError) -> IntervalEstimate {
    try checkConfidence(confidence)
    let first = try checked(first, "the first sample")
    let second = try checked(second, "the second sample")
    var differences: [Double] = []
    differences.reserveCapacity(first.count * second.count)
    for value in second { for base in first { differences.append(value - base) } }
    differences.sort()
    let tail = (1 - confidence) / 2
    let limits: Limits
    if max(first.count, second.count) < RankSum.exactLimit {
      limits = .exact(RankDistribution(mannWhitney: first.count, second.count), tail: tail)
    } else {
      let (pairs, total) = (Double(differences.count), Double(first.count + second.count))
      limits = .approximate(mean: pairs / 2, variance: pairs * (total + 1) / 12, tail: tail)
    }
    return limits.estimate(
      from: differences, confidence: confidence,
      valuesNeeded: RankSum.sizeNeeded(forLevel: 1 - confidence))
  }

  /// The number of pairwise values outside of the interval on each side.
  private struct Limits {
    /// The rank of the limits, from each end; 0 for no interval.
    let outside: Int
    let coverage: Double
    let method: StatisticalMethod

    static func exact(_ distribution: RankDistribution, tail: Double) -> Limits {
      let outside = distribution.countBelow(tail: tail)
      let coverage = 1 - 2 * distribution.atMost(outside - 1)
      return Limits(outside: outside, coverage: coverage, method: .exact)
    }

    static func approximate(mean: Double, variance: Double, tail: Double) -> Limits {
      let reach = -Distributions.normalQuantile(tail) * variance.squareRoot()
      let outside = max(0, Int((mean - reach).rounded(.down)))
      return Limits(outside: outside, coverage: 1 - 2 * tail, method: .approximate)
    }

    func estimate(
      from sorted: [Double], confidence: Double, valuesNeeded: Int
    ) -> IntervalEstimate {
      let hasLimits = outside >= 1
      return IntervalEstimate(
        value: Quantiles.ofSorted(sorted, 0.5),
        low: hasLimits ? sorted[outside - 1] : nil,
        high: hasLimits ? sorted[sorted.count - outside] : nil,
        confidence: confidence,
        coverage: hasLimits ? coverage : nil,
        method: method,
        valuesNeeded: valuesNeeded)
    }
  }
}
