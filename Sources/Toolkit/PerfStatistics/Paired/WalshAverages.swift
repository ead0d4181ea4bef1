/// The Walsh averages: the means of all pairs of values, including each value with itself.
///
/// Their median is the Hodges-Lehmann estimate, and the interval between two of them is the
/// interval of the signed rank test.
struct WalshAverages {
  let sorted: [Double]
  private let count: Int

  /// - Complexity: O(*n*² log *n*) time, O(*n*²) memory.
  init(_ values: [Double]) throws(StatisticsError) {
    let values = try checked(values, "the sample")
    count = values.count
    var means: [Double] = []
    means.reserveCapacity(values.count * (values.count + 1) / 2)
    for (index, value) in values.enumerated() {
      // Values are halved before the addition, so that large ones do not overflow.
      for other in values[index...] { means.append(value / 2 + other / 2) }
    }
    means.sort()
    sorted = means
  }

  var estimate: Double { Quantiles.ofSorted(sorted, 0.5) }

  /// Returns the exact interval with a two-sided error of at most `error`; nil for too few values.
  func interval(error: Double) -> ClosedRange<Double>? {
    interval(outside: RankDistribution.ofSigns(count).countBelow(tail: error / 2))
  }

  /// Returns the interval between the `outside`-th smallest and largest averages; nil for 0.
  func interval(outside: Int) -> ClosedRange<Double>? {
    guard outside >= 1 else { return nil }
    return sorted[outside - 1]...sorted[sorted.count - outside]
  }
}
