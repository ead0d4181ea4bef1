/// Confidence intervals of the centre of differences, from the sign-flip test.
///
/// A centre c is rejected if few sign patterns have a larger sum than the differences minus c. A
/// pattern has a larger sum exactly if the mean of the differences whose sign it flips is at most
/// c. So the limits are means of subsets of the differences.
///
/// - Note: Hartigan 1969, doi:10.1080/01621459.1969.10501057.
struct SignFlipIntervals {
  /// The number of random subsets if there are too many to enumerate.
  static let resamples = 50_000

  private let values: [Double]
  /// Means of random subsets in ascending order; nil if all subsets are enumerated.
  private let means: [Double]?

  /// Prepares the intervals of differences, candidate minus base, zeros included.
  init(_ differences: [Double], seed: UInt64) throws(StatisticsError) {
    values = try checked(differences, "the sample of differences")
    means =
      values.count > SignFlip.exactLimit
      ? Self.randomMeans(values, SeededGenerator(seed: seed)) : nil
  }

  /// The mean: the centre at which the observed sum is in the middle of all patterns' sums.
  var estimate: Double { values.reduce(0) { $0 + $1 / Double(values.count) } }

  /// Returns the interval with a two-sided error of at most `error`; nil for too few differences.
  ///
  /// - Complexity: O(2^(*n*/2)) time and memory if all subsets are enumerated.
  func interval(error: Double) -> ClosedRange<Double>? {
    guard let smallest = values.min(), let largest = values.max() else { return nil }
    guard smallest < largest else {
      return error / 2 * roundingSlack >= SignFlip.smallestTail(values.count)
        ? smallest...smallest : nil
    }
    if let means {
      let outside = Int(error / 2 * Double(means.count + 1) * roundingSlack)
      return outside >= 1 ? means[outside - 1]...means[means.count - outside] : nil
    }
    guard error / 2 * roundingSlack >= SignFlip.smallestTail(values.count) else { return nil }
    let low = limit(from: smallest, to: largest, error: error / 2, sign: 1)
    let high = limit(from: -largest, to: -smallest, error: error / 2, sign: -1)
    return snapped(low)...max(snapped(low), snapped(-high))
  }

  /// Returns 0 for a limit that is zero apart from rounding, as zeros among the differences give.
  private func snapped(_ limit: Double) -> Double {
    let size = values.reduce(0) { max($0, $1.magnitude) }
    return limit.magnitude < 1e-11 * size ? 0 : limit
  }

  /// Returns the smallest centre that is not rejected as too low, to the last bits.
  private func limit(from low: Double, to high: Double, error: Double, sign: Double) -> Double {
    // `low` itself is the limit if only the pattern of equal signs is beyond it.
    func isRejected(_ center: Double) -> Bool {
      SignFlip.tail(values.map { sign * $0 - center }) <= error * roundingSlack
    }
    var (low, high) = (low, high)
    for _ in 0..<60 {
      let middle = low + (high - low) / 2
      guard middle > low, middle < high else { break }
      if isRejected(middle) { low = middle } else { high = middle }
    }
    return isRejected(low) ? high : low
  }

  private static func randomMeans(_ values: [Double], _ generator: SeededGenerator) -> [Double] {
    var generator = generator
    var means: [Double] = []
    means.reserveCapacity(resamples)
    while means.count < resamples {
      var (bits, sum, count): (UInt64, Double, Int) = (0, 0, 0)
      for (index, value) in values.enumerated() {
        if index.isMultiple(of: 64) { bits = generator.next() }
        if bits & 1 == 1 {
          sum += value
          count += 1
        }
        bits >>= 1
      }
      // The empty subset is the observed pattern, which always counts.
      if count > 0 { means.append(sum / Double(count)) }
    }
    return means.sorted()
  }
}
