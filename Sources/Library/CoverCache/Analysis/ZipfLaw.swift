internal import Glibc

/// A few favourites and many that are rarely asked for: Zipf's law with exponent 0.9.
public struct ZipfLaw: Sendable {
  /// The weights of each rank and all above it.
  private let cumulative: [Double]

  /// Makes the law for ranks from 0 to below a number of them, at least one.
  public init(ranks: Int) {
    var sum = 0.0
    cumulative = (1...ranks).map { rank in
      sum += pow(Double(rank), -0.9)
      return sum
    }
  }

  /// Returns the rank that a number from 0 to below 1 draws; equal numbers draw equal ranks.
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
}
