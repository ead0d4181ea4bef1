internal import Foundation

/// A high dynamic range histogram as hdrhistogram-swift encodes it.
///
/// The indices of counts are explained in `Histogram.swift` of hdrhistogram-swift 0.2.0: bucket 0 has
/// `2 * half` values of one unit, and each further bucket `half` values of twice the width.
struct SuiteHistogram {
  private let counts: [Int]
  /// The logarithm of `half`.
  private let magnitude: Int
  private let unitMagnitude: Int

  /// Reads a histogram; nil if a part is missing or impossible.
  init?(_ object: [String: Any]) {
    guard let counts = object["counts"] as? [Int],
      let magnitude = object["subBucketHalfCountMagnitude"] as? Int, (0...30).contains(magnitude),
      let unit = object["unitMagnitude"] as? Int, (0...30).contains(unit),
      // The values of the last bucket fit into 63 bits.
      (counts.count >> magnitude) + magnitude + unit < 62, counts.allSatisfy((0...1 << 40).contains)
    else { return nil }
    (self.counts, self.magnitude, unitMagnitude) = (counts, magnitude, unit)
  }

  /// The number of recorded values.
  var total: Int { counts.reduce(0, +) }

  /// The median, of two middle values the lower one; nil without values.
  var median: Double? {
    let rank = (total + 1) / 2
    guard rank > 0 else { return nil }
    var sum = 0
    for (index, count) in counts.enumerated() where count > 0 {
      sum += count
      if sum >= rank { return middle(of: index) }
    }
    return nil
  }

  /// Returns the middle of the values that one count stands for.
  private func middle(of index: Int) -> Double {
    let half = 1 << magnitude
    var (bucket, value) = ((index >> magnitude) - 1, (index & (half - 1)) + half)
    if bucket < 0 { (bucket, value) = (0, value - half) }
    let width = 1 << (bucket + unitMagnitude)
    return Double(value * width) + Double(width - 1) / 2
  }
}
