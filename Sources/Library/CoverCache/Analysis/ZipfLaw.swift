internal import Glibc

/// Zipf's law: a few ranks are drawn often and most of them rarely.
///
/// The weight of rank *r*, from 0, is (*r* + 1) to the power of minus the exponent.
public struct ZipfLaw: Sendable {
  /// The sum of the weights from rank 0 to each rank.
  private let cumulative: [Double]

  /// Creates the law of a number of ranks, at least 1.
  ///
  /// - Complexity: O(*n*) time and memory for *n* ranks.
  public init(ranks: Int, exponent: Double) {
    var sum = 0.0
    cumulative = (1...ranks).map { rank in
      sum += pow(Double(rank), -exponent)
      return sum
    }
  }

  /// Returns the rank drawn by a number from 0 to below 1; equal numbers draw equal ranks.
  ///
  /// - Complexity: O(log *n*) in the number of ranks.
  public func rank(at fraction: Double) -> Int {
    let value = fraction * cumulative[cumulative.count - 1]
    var low = 0
    var high = cumulative.count - 1
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] > value { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns the rank that the benchmarks of databases and caches draw by a number from 0 to below 1.
  ///
  /// They approximate the law by a formula, which draws popular ranks slightly more
  /// often. There are at least two ranks, and the exponent is below 1.
  ///
  /// Source: J. Gray and others, "Quickly generating billion-record synthetic databases", SIGMOD
  /// 1994, doi:10.1145/191839.191886, as in the Yahoo Cloud Serving Benchmark.
  public func approximateRank(at fraction: Double) -> Int {
    let second = cumulative[1]
    let all = cumulative[cumulative.count - 1]
    let count = Double(cumulative.count)
    if fraction * all < 1 { return 0 }
    if fraction * all < second { return 1 }
    // The weight of the second rank is 2 to the power of minus the exponent.
    let rest = 1 + log2(second - 1)
    let eta = (1 - pow(2 / count, rest)) / (1 - second / all)
    return Int(count * pow(eta * fraction - eta + 1, 1 / rest))
  }
}
