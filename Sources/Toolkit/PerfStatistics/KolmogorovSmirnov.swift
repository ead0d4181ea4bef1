internal import Glibc

/// The Kolmogorov-Smirnov test: whether two samples have the same distribution.
///
/// - Note: Hodges 1958, doi:10.1007/BF02589501 (the exact distribution by counting lattice paths);
///   Smirnov 1948, doi:10.1214/aoms/1177730256 (the limit).
public enum KolmogorovSmirnov {
  /// The largest sample size with the exact distribution.
  public static let exactLimit = 1000

  /// Returns the largest difference between the distribution functions with its p-value.
  ///
  /// With ties the p-value is at least the true one.
  ///
  /// - Parameters:
  ///   - first: At least one value.
  ///   - second: At least one value.
  /// - Returns: The distance, 0...1, and the two-sided p-value.
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O(*m* *n*) time if exact.
  public static func test(
    _ first: [Double], _ second: [Double]
  ) throws(StatisticsError) -> TestResult {
    let first = try checked(first, "the first sample").sorted()
    let second = try checked(second, "the second sample").sorted()
    let (m, n) = (first.count, second.count)
    let steps = largestStep(first, second)
    let distance = Double(steps) / (Double(m) * Double(n))
    guard max(m, n) <= exactLimit else {
      let size = (Double(m) * Double(n) / Double(m + n)).squareRoot()
      return TestResult(statistic: distance, p: limit(distance * size), method: .approximate)
    }
    return TestResult(statistic: distance, p: exact(m, n, steps), method: .exact)
  }

  /// Returns the largest difference in units of 1 / (m n), which is an integer.
  private static func largestStep(_ first: [Double], _ second: [Double]) -> Int {
    var (i, j, largest) = (0, 0, 0)
    while i < first.count || j < second.count {
      let value = min(
        i < first.count ? first[i] : .infinity, j < second.count ? second[j] : .infinity)
      while i < first.count, first[i] == value { i += 1 }
      while j < second.count, second[j] == value { j += 1 }
      largest = max(largest, abs(i * second.count - j * first.count))
    }
    return largest
  }

  /// Returns the probability that a random path from (0, 0) to (m, n) is as far from the diagonal.
  private static func exact(_ m: Int, _ n: Int, _ steps: Int) -> Double {
    guard steps > 0 else { return 1 }
    // row[j] is the probability that a random order of the first i + j values stays closer.
    var row = [Double](repeating: 0, count: n + 1)
    for i in 0...m {
      for j in 0...n {
        guard (i * n - j * m).magnitude < steps else {
          row[j] = 0
          continue
        }
        if i == 0, j == 0 {
          row[0] = 1
        } else {
          // The last of i + j values belongs to the first sample with probability i / (i + j).
          let above = i > 0 ? row[j] * Double(i) : 0
          let left = j > 0 ? row[j - 1] * Double(j) : 0
          row[j] = (above + left) / Double(i + j)
        }
      }
    }
    return max(0, min(1, 1 - row[n]))
  }

  /// Returns P(K > x) of the Kolmogorov distribution.
  private static func limit(_ x: Double) -> Double {
    guard x > 0.2 else { return 1 }
    var (sum, sign) = (0.0, 1.0)
    for k in 1...100 {
      let term = exp(-2 * Double(k * k) * x * x)
      sum += sign * term
      sign = -sign
      if term < 1e-17 { break }
    }
    return max(0, min(1, 2 * sum))
  }
}
