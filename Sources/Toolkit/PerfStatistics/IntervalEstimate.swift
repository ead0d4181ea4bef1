/// How a probability or an interval was found.
public enum StatisticalMethod: Hashable, Sendable {
  /// From the exact distribution.
  case exact
  /// From a large-sample approximation.
  case approximate
  /// From so many seeded random resamples.
  case simulated(resamples: Int)
}

/// A number computed from a sample, with the interval that its true value lies in.
public struct IntervalEstimate: Hashable, Sendable {
  /// The estimate, in the unit of the sample.
  public let value: Double
  /// The lower limit; nil when so few values give none at this confidence.
  public let low: Double?
  /// The upper limit; nil when so few values give none at this confidence.
  public let high: Double?
  /// The confidence that was asked for, as 0.95.
  public let confidence: Double
  /// The confidence that the interval reaches, at least the one asked for where it is exact; nil
  /// when a limit is missing.
  public let coverage: Double?
  /// How the limits were found.
  public let method: StatisticalMethod
  /// The least number of values (a side, for two samples) that gives both limits.
  public let valuesNeeded: Int

  public init(
    value: Double, low: Double?, high: Double?, confidence: Double, coverage: Double?,
    method: StatisticalMethod, valuesNeeded: Int
  ) {
    (self.value, self.low, self.high, self.confidence) = (value, low, high, confidence)
    (self.coverage, self.method, self.valuesNeeded) = (coverage, method, valuesNeeded)
  }

  /// Both limits, or nil when either is missing.
  public var interval: ClosedRange<Double>? {
    guard let low, let high else { return nil }
    return low...max(low, high)
  }
}

/// What a test says.
public struct TestResult: Hashable, Sendable {
  /// The statistic, as the test defines it.
  public let statistic: Double
  /// The probability, were there no difference, of a statistic at least this extreme; 0...1.
  public let p: Double
  /// How `p` was found.
  public let method: StatisticalMethod
}

/// Which deviations from "no difference" count.
public enum Alternative: Hashable, Sendable {
  /// Either way.
  case twoSided
  /// The first sample (or the differences) tends to be larger.
  case greater
  /// The first sample (or the differences) tends to be smaller.
  case less
}

extension Alternative {
  /// Returns the p-value of the tails of a discrete distribution, each with the observed point.
  ///
  /// The two-sided one is twice the smaller tail, at most 1 (SciPy's and R's definition).
  func p(atMost: Double, atLeast: Double) -> Double {
    switch self {
    case .twoSided: min(1, 2 * min(atMost, atLeast))
    case .greater: min(1, atLeast)
    case .less: min(1, atMost)
    }
  }
}
