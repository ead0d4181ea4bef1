/// The sign-flip permutation test: whether the mean of paired differences is zero.
///
/// Without a difference each sign is equally likely. Values, ties and zeros are used as they are,
/// without ranks.
///
/// - Note: Fisher 1935, The Design of Experiments, section 21; Phipson and Smyth 2010,
///   doi:10.2202/1544-6115.1585 (a simulated p-value counts the observed pattern).
public enum SignFlip {
  /// The largest number of nonzero differences whose sign patterns are all enumerated.
  public static let exactLimit = 32
  /// The number of random sign patterns above the limit.
  private static let resamples = 20_000

  /// Tests whether differences, candidate minus base, have mean zero; the statistic is their sum.
  ///
  /// Above `exactLimit` differences the p-value is from random patterns, reproducible by the seed.
  ///
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O(2^(*n*/2)) time and memory if exact, O(*n* `resamples`) time above.
  public static func test(
    _ differences: [Double], seed: UInt64 = 0
  ) throws(StatisticsError) -> TestResult {
    let values = try checked(differences, "the sample of differences").filter { $0 != 0 }
    let observed = values.reduce(0, +)
    guard values.count > exactLimit else {
      return TestResult(
        observed, atMost: tail(values.map { -$0 }), atLeast: tail(values), .exact)
    }
    let tolerance = tolerance(values)
    var generator = SeededGenerator(seed: seed)
    var (above, below) = (1, 1)
    for _ in 0..<resamples {
      let sum = randomSum(values, &generator)
      if sum >= observed - tolerance { above += 1 }
      if sum <= observed + tolerance { below += 1 }
    }
    let total = Double(resamples + 1)
    return TestResult(
      observed, atMost: Double(below) / total, atLeast: Double(above) / total,
      .simulated(resamples: resamples))
  }

  /// Returns the share of all sign patterns whose sum is at least the sum of the values; at most
  /// `exactLimit` of the values are not zero.
  ///
  /// - Complexity: O(2^(*n*/2)) time and memory.
  static func tail(_ values: [Double]) -> Double {
    let values = values.filter { $0 != 0 }
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

  private static func randomSum(
    _ values: [Double], _ generator: inout SeededGenerator
  ) -> Double {
    var (bits, sum): (UInt64, Double) = (0, 0)
    for (index, value) in values.enumerated() {
      if index.isMultiple(of: 64) { bits = generator.next() }
      sum += bits & 1 == 0 ? value : -value
      bits >>= 1
    }
    return sum
  }
}
