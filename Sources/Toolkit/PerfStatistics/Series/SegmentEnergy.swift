/// The energy distances between neighbouring segments of a series, each in constant time.
struct SegmentEnergy {
  private let count: Int
  /// The sum of the distances between all values of p..<q, at index p * (count + 1) + q.
  private let within: [Double]

  /// - Complexity: O(*n*²) time and memory.
  init(_ values: ArraySlice<Double>) {
    let values = Array(values)
    count = values.count
    let row = count + 1
    var within = [Double](repeating: 0, count: row * row)
    for q in 0..<values.count {
      var sum = 0.0
      for p in stride(from: q, through: 0, by: -1) {
        // The distances of the value at q to those from p on.
        sum += (values[q] - values[p]).magnitude
        within[p * row + q + 1] = within[p * row + q] + sum
      }
    }
    self.within = within
  }

  /// Returns the distance between the segments 0..<split and split..<end, each with at least two
  /// values, scaled by their sizes (Q of the paper): about 0 without a difference.
  func distance(_ split: Int, _ end: Int) -> Double {
    let row = count + 1
    let (left, right) = (within[split], within[split * row + end])
    let across = within[end] - left - right
    let (m, n) = (Double(split), Double(end - split))
    return m * n / (m + n)
      * (2 * across / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1)))
  }

  /// Returns the split with the largest distance to a segment after it; nil for too few values.
  ///
  /// The segment need not extend to the end: after a rise and a fall the end is like the beginning.
  func best(smallestPart: Int) -> (index: Int, distance: Double)? {
    guard count >= 2 * smallestPart else { return nil }
    var best: (index: Int, distance: Double)?
    for split in smallestPart...(count - smallestPart) {
      for end in (split + smallestPart)...count {
        let distance = distance(split, end)
        if distance > best?.distance ?? -.infinity { best = (split, distance) }
      }
    }
    return best
  }
}
