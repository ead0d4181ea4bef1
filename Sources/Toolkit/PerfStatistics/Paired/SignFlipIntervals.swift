/// Confidence intervals of the centre of differences, from the sign-flip test.
///
/// A centre c is rejected if few sign patterns have a larger sum than the differences minus c. A
/// pattern has a larger sum exactly if the mean of the differences whose sign it flips is at most
/// c. So the limits are means of subsets of the differences.
///
/// - Note: Hartigan 1969, doi:10.1080/01621459.1969.10501057.
struct SignFlipIntervals {
  private let values: [Double]

  /// Prepares the intervals of differences, candidate minus base, zeros included.
  init(_ differences: [Double]) throws(StatisticsError) {
    values = try checked(differences, "the sample of differences")
  }

  /// The mean: the centre at which the observed sum is in the middle of all patterns' sums.
  var estimate: Double { values.reduce(0) { $0 + $1 / Double(values.count) } }

  /// Returns the interval with a two-sided error of at most `error`; nil for too few differences.
  ///
  /// - Complexity: Up to sixty times that of `SignFlip.tail`.
  func interval(error: Double) -> ClosedRange<Double>? {
    guard let smallest = values.min(), let largest = values.max(),
      error / 2 * roundingSlack >= SignFlip.smallestTail(values.count)
    else { return nil }
    guard smallest < largest else { return smallest...smallest }
    let low = limit(from: smallest, to: largest, error: error / 2, sign: 1)
    let high = limit(from: -largest, to: -smallest, error: error / 2, sign: -1)
    return snapped(low)...max(snapped(low), snapped(-high))
  }

  /// Returns 0 for a limit that is zero apart from rounding, as zeros among the differences give.
  private func snapped(_ limit: Double) -> Double {
    let size = values.reduce(0) { max($0, $1.magnitude) }
    return limit.magnitude < 1e-11 * size ? 0 : limit
  }

  /// The width to which a limit is determined: the last bits if the test is exact, else a
  /// thousandth of the standard error.
  private var precision: Double {
    guard values.count > SignFlip.exactLimit else { return 0 }
    return Moments(values).squares.squareRoot() / Double(values.count) / 1000
  }

  /// Returns the smallest centre that is not rejected as too low.
  private func limit(from low: Double, to high: Double, error: Double, sign: Double) -> Double {
    // `low` itself is the limit if only the pattern of equal signs is beyond it.
    func isRejected(_ center: Double) -> Bool {
      SignFlip.tail(values.map { sign * $0 - center }) <= error * roundingSlack
    }
    var (low, high) = (low, high)
    let precision = precision
    for _ in 0..<60 where high - low > precision {
      let middle = low + (high - low) / 2
      guard middle > low, middle < high else { break }
      if isRejected(middle) { low = middle } else { high = middle }
    }
    return isRejected(low) ? high : low
  }
}
