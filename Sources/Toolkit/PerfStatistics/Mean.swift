/// The mean of a sample with Student's interval.
public enum Mean {
  /// Returns the mean and its interval.
  ///
  /// The interval assumes roughly normal values; the interval of a median has no such assumption
  /// and is better for times. The limits need at least two values.
  ///
  /// - Throws: `emptySample`, `notFinite` or `outOfRange`.
  /// - Note: Student 1908, doi:10.2307/2331554.
  public static func estimate(
    of values: [Double], confidence: Double = 0.95
  ) throws(StatisticsError) -> IntervalEstimate {
    try checkConfidence(confidence)
    let values = try checked(values, "the sample")
    let count = Double(values.count)
    let moments = Moments(values)
    let mean = moments.mean
    var reach: Double?
    if values.count >= 2 {
      let error = (moments.squares / (count - 1) / count).squareRoot()
      reach =
        error * Distributions.studentTwoSided(confidence: confidence, degrees: values.count - 1)
    }
    return IntervalEstimate(
      value: mean, low: reach.map { mean - $0 }, high: reach.map { mean + $0 },
      confidence: confidence, coverage: reach.map { _ in confidence }, method: .approximate,
      valuesNeeded: 2)
  }
}
