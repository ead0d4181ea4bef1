/// The sign-flip permutation test: whether the mean of paired differences is zero.
///
/// Without a difference each sign is equally likely. Values, ties and zeros are used as they are,
/// without ranks.
///
/// - Note: Fisher 1935, The Design of Experiments, section 21.
public enum SignFlip {
  /// The largest number of nonzero differences with exact sums.
  public static let exactLimit = 32

  /// The parts of the sums' standard deviation to which more differences are rounded.
  private static let resolution = 2000.0

  /// Tests whether differences, candidate minus base, have mean zero; the statistic is their sum.
  ///
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: See `tail`.
  public static func test(_ differences: [Double]) throws(StatisticsError) -> TestResult {
    let values = try checked(differences, "the sample of differences").filter { $0 != 0 }
    return TestResult(
      values.reduce(0, +), atMost: tail(values.map { -$0 }), atLeast: tail(values),
      values.count > exactLimit ? .approximate : .exact)
  }

  /// Returns the share of all sign patterns whose sum is at least the sum of the values.
  ///
  /// - Complexity: O(2^(*n*/2)) time and memory up to `exactLimit` nonzero values, O(*n*^1.5) time
  ///   above, with a factor of some hundred.
  static func tail(_ values: [Double]) -> Double {
    let values = values.filter { $0 != 0 }
    guard values.count <= exactLimit else { return roundedTail(values) }
    let middle = values.count / 2
    let (left, right) = (signedSums(values[..<middle]), signedSums(values[middle...]))
    let limit = values.reduce(0, +) - tolerance(values)
    return Double(count(left, right, atLeast: limit)) / (Double(left.count) * Double(right.count))
  }

  /// Returns the probability of a single pattern, the smallest possible tail.
  static func smallestTail(_ count: Int) -> Double {
    Double(sign: .plus, exponent: -count, significand: 1)
  }

  /// Returns the tolerance for sums of the same numbers in another order.
  private static func tolerance(_ values: [Double]) -> Double {
    1e-12 * values.reduce(0) { $0 + $1.magnitude }
  }

  /// Returns the sums of all sign patterns in ascending order: each value merges its two signs.
  private static func signedSums(_ values: ArraySlice<Double>) -> [Double] {
    values.reduce([0]) { sums, value in
      let step = value.magnitude
      var merged: [Double] = []
      merged.reserveCapacity(2 * sums.count)
      var (low, high) = (0, 0)
      while high < sums.count {
        if low < sums.count, sums[low] - step <= sums[high] + step {
          merged.append(sums[low] - step)
          low += 1
        } else {
          merged.append(sums[high] + step)
          high += 1
        }
      }
      return merged
    }
  }

  /// Returns the number of pairs from two ascending lists with a sum of at least `limit`.
  private static func count(_ left: [Double], _ right: [Double], atLeast limit: Double) -> Int {
    var first = right.count
    return left.reduce(0) { total, sum in
      while first > 0, sum + right[first - 1] >= limit { first -= 1 }
      return total + right.count - first
    }
  }

  /// Returns the tail of many values, each rounded to a whole number of parts of the deviation.
  ///
  /// Rounding moves the sum of *n* values by 0.3 sqrt(*n*) parts on average. A sum that is smaller
  /// by up to 1.2 sqrt(*n*) parts counts as equal: 1 % of the deviation for 256 values, which makes
  /// a tail of 0.0001 larger by 4 %. So sums that are equal before they are rounded count.
  private static func roundedTail(_ values: [Double]) -> Double {
    let largest = values.reduce(0) { max($0, $1.magnitude) }
    let sizes = values.map { $0.magnitude / largest }
    let part = sizes.reduce(0) { $0 + $1 * $1 }.squareRoot() / resolution
    let scores = sizes.map { Int(($0 / part).rounded()) }
    let positive = zip(values, scores).reduce(0) { $0 + ($1.0 > 0 ? $1.1 : 0) }
    // A sign changes the sum by twice the score.
    let slack = Int(0.6 * Double(values.count).squareRoot())
    return RankDistribution(coinsOver: scores).atLeast(positive - slack)
  }
}
