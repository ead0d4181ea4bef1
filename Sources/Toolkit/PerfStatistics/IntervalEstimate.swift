/// The way a probability or an interval was computed.
public enum StatisticalMethod: Hashable, Sendable {
  /// From the exact distribution.
  case exact
  /// From a large-sample approximation.
  case approximate
}

/// An estimate from a sample with its confidence interval.
public struct IntervalEstimate: Hashable, Sendable {
  /// The estimate, in the unit of the sample.
  public let value: Double
  /// The lower limit; nil if there are too few values for the confidence.
  public let low: Double?
  /// The upper limit; nil if there are too few values for the confidence.
  public let high: Double?
  /// The requested confidence, such as 0.95.
  public let confidence: Double
  /// The actual confidence, at least the requested one for an exact interval.
  ///
  /// It is nil if a limit is missing.
  public let coverage: Double?
  /// The way the limits were computed.
  public let method: StatisticalMethod
  /// The smallest number of values (per side for two samples) that gives both limits.
  public let valuesNeeded: Int

  /// Both limits; nil if either is missing.
  public var interval: ClosedRange<Double>? {
    guard let low, let high else { return nil }
    return low...max(low, high)
  }
}

extension IntervalEstimate {
  /// Creates the estimate of an exactly known number.
  package init(exactly value: Double) {
    self.init(
      value: value, low: nil, high: nil, confidence: 0.95, coverage: nil, method: .exact,
      valuesNeeded: 0)
  }

  /// Returns an estimate of another quantity, whose limits follow from several intervals.
  package func replaced(value: Double, low: Double, high: Double) -> IntervalEstimate {
    IntervalEstimate(
      value: value, low: low, high: high, confidence: confidence, coverage: nil, method: method,
      valuesNeeded: valuesNeeded)
  }

  /// Returns the estimate on another scale; `isFalling` swaps the limits.
  package func mapped(isFalling: Bool = false, _ scale: (Double) -> Double) -> IntervalEstimate {
    let (low, high) = (low.map(scale), high.map(scale))
    return IntervalEstimate(
      value: scale(value), low: isFalling ? high : low, high: isFalling ? low : high,
      confidence: confidence, coverage: coverage, method: method, valuesNeeded: valuesNeeded)
  }
}

/// The result of a statistical test.
public struct TestResult: Hashable, Sendable {
  /// The test statistic, as defined by the test.
  public let statistic: Double
  /// The two-sided probability of a statistic at least this extreme without a difference, 0...1.
  public let p: Double
  /// The way `p` was computed.
  public let method: StatisticalMethod

  /// Creates a result from both tails, which include the observed point.
  ///
  /// The p-value is twice the smaller tail, at most 1, as in SciPy and R.
  init(_ statistic: Double, atMost: Double, atLeast: Double, _ method: StatisticalMethod) {
    self.statistic = statistic
    p = min(1, 2 * min(atMost, atLeast))
    self.method = method
  }

  /// Creates a result from the normal approximation with continuity correction.
  init(_ statistic: Double, mean: Double, variance: Double) {
    let deviation = variance.squareRoot()
    let isSpread = variance > 0
    self.init(
      statistic,
      atMost: isSpread ? Distributions.normalCumulative((statistic - mean + 0.5) / deviation) : 1,
      atLeast: isSpread ? Distributions.normalCumulative(-(statistic - mean - 0.5) / deviation) : 1,
      .approximate)
  }
}
