/// The means of all pairs of values, each with itself too: where the centre of a sample is.
///
/// Their median is the Hodges-Lehmann estimate, and the interval between two of them is that of the
/// signed rank test.
struct WalshAverages {
  /// All means, ascending.
  let sorted: [Double]
  private let count: Int

  /// Forms the means.
  ///
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O(*n*² log *n*) time, O(*n*²) memory.
  init(_ values: [Double]) throws(StatisticsError) {
    let values = try checked(values, "the sample")
    count = values.count
    var means: [Double] = []
    means.reserveCapacity(values.count * (values.count + 1) / 2)
    for (index, value) in values.enumerated() {
      // Halved before adding, so that large values do not overflow.
      for other in values[index...] { means.append(value / 2 + other / 2) }
    }
    means.sort()
    sorted = means
  }

  /// The median of the means.
  var estimate: Double { Quantiles.ofSorted(sorted, 0.5) }

  /// Returns the exact interval whose two-sided error is at most `error`, or nil where so few values
  /// have none.
  func interval(error: Double) -> ClosedRange<Double>? {
    interval(outside: RankDistribution.ofSigns(count).countBelow(tail: error / 2))
  }

  /// Returns the interval from the `outside`-th smallest mean to the `outside`-th largest, or nil
  /// when that is 0.
  func interval(outside: Int) -> ClosedRange<Double>? {
    guard outside >= 1 else { return nil }
    return sorted[outside - 1]...sorted[sorted.count - outside]
  }
}
