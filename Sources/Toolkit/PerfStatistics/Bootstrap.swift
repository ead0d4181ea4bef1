/// Bootstrap intervals of differences of quantiles, for exploration; no verdict depends on them.
///
/// - Note: Efron 1987, doi:10.2307/2289144 (BCa: bias-corrected and accelerated).
public enum Bootstrap {
  /// Returns the difference of a quantile between two samples, second minus first.
  ///
  /// - Parameters:
  ///   - probability: 0...1.
  ///   - first: The base, at least two values.
  ///   - second: The candidate, at least two values.
  ///   - confidence: Strictly between 0 and 1.
  ///   - resamples: The number of resamples.
  ///   - seed: The seed; equal seeds give equal intervals.
  /// - Returns: The difference with its BCa interval; without limits if a sample has one value.
  /// - Throws: `emptySample`, `notFinite` or `outOfRange`.
  /// - Complexity: O(`resamples` *n* log *n* + *n*² log *n*).
  public static func quantileDifference(
    _ probability: Double, from first: [Double], to second: [Double], confidence: Double = 0.95,
    resamples: Int = 2000, seed: UInt64 = 0
  ) throws(StatisticsError) -> IntervalEstimate {
    try checkConfidence(confidence)
    let before = try Quantiles.quantile(probability, of: first)
    let value = try Quantiles.quantile(probability, of: second) - before
    guard min(first.count, second.count) >= 2, resamples >= 1 else {
      return IntervalEstimate(
        value: value, low: nil, high: nil, confidence: confidence, coverage: nil,
        method: .simulated(resamples: 0), valuesNeeded: 2)
    }
    let (first, second) = (first.sorted(), second.sorted())
    func difference(_ first: [Double], _ second: [Double]) -> Double {
      Quantiles.ofSorted(second, probability) - Quantiles.ofSorted(first, probability)
    }
    var generator = SeededGenerator(seed: seed)
    let replicates = (0..<resamples).map { _ in
      difference(resample(first, &generator), resample(second, &generator))
    }
    .sorted()
    let jackknife = [
      leavingOut(first).map { difference($0, second) },
      leavingOut(second).map { difference(first, $0) },
    ]
    let limits = limits(
      replicates, value: value, acceleration: acceleration(jackknife), confidence: confidence)
    return IntervalEstimate(
      value: value, low: limits.low, high: limits.high, confidence: confidence,
      coverage: confidence, method: .simulated(resamples: resamples), valuesNeeded: 2)
  }

  /// Returns the percentiles of the replicates, corrected for bias and acceleration.
  private static func limits(
    _ sorted: [Double], value: Double, acceleration: Double, confidence: Double
  ) -> (low: Double, high: Double) {
    // Equal replicates count half: a quantile of a small sample has few distinct values.
    let below = Double(sorted.count { $0 < value }) + Double(sorted.count { $0 == value }) / 2
    let share = min(max(below / Double(sorted.count), 1e-9), 1 - 1e-9)
    let bias = Distributions.normalQuantile(share)
    func limit(_ tail: Double) -> Double {
      let z = bias + Distributions.normalQuantile(tail)
      let moved = Distributions.normalCumulative(bias + z / (1 - acceleration * z))
      return Quantiles.ofSorted(sorted, min(max(moved, 0), 1))
    }
    let tail = (1 - confidence) / 2
    return (limit(tail), limit(1 - tail))
  }

  /// Returns a sixth of the skewness of the jackknife values over both samples.
  private static func acceleration(_ jackknife: [[Double]]) -> Double {
    var (squares, cubes) = (0.0, 0.0)
    for values in jackknife {
      let count = Double(values.count)
      let mean = values.reduce(0) { $0 + $1 / count }
      for value in values {
        let influence = (count - 1) * (mean - value)
        squares += influence * influence / (count * count)
        cubes += influence * influence * influence / (count * count * count)
      }
    }
    return squares > 0 ? cubes / (6 * squares * squares.squareRoot()) : 0
  }

  private static func resample(
    _ sorted: [Double], _ generator: inout SeededGenerator
  ) -> [Double] {
    (0..<sorted.count).map { _ in
      sorted[Int(generator.nextUniform() * Double(sorted.count))]
    }
    .sorted()
  }

  private static func leavingOut(_ sorted: [Double]) -> [[Double]] {
    sorted.indices.map { index in
      var rest = sorted
      rest.remove(at: index)
      return rest
    }
  }
}
