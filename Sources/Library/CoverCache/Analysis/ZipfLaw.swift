internal import Glibc

/// Zipf's law with exponent 0.9: a few ranks are drawn often and most of them rarely.
struct ZipfLaw: Sendable {
  /// The sum of the weights from rank 0 to each rank.
  private let cumulative: [Double]

  init(ranks: Int) {
    var sum = 0.0
    cumulative = (1...ranks).map { rank in
      sum += pow(Double(rank), -0.9)
      return sum
    }
  }

  /// Returns the rank drawn by a number from 0 to below 1; equal numbers draw equal ranks.
  ///
  /// - Complexity: O(log *n*) in the number of ranks.
  func rank(at fraction: Double) -> Int {
    let value = fraction * cumulative[cumulative.count - 1]
    var low = 0
    var high = cumulative.count - 1
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] > value { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
