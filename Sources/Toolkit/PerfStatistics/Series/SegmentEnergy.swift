/// The energy distances between neighbouring stretches of a series, each in constant time.
struct SegmentEnergy {
  private let count: Int
  /// The sum of the distances between all values from p to before q, at p * (count + 1) + q.
  private let within: [Double]

  /// Adds up the distances.
  ///
  /// - Complexity: O(*n*²) time and memory.
  init(_ values: ArraySlice<Double>) {
    let values = Array(values)
    count = values.count
    let row = count + 1
    var within = [Double](repeating: 0, count: row * row)
    for q in 0..<values.count {
      var sum = 0.0
      for p in stride(from: q, through: 0, by: -1) {
        // The value at q to those from p on.
        sum += (values[q] - values[p]).magnitude
        within[p * row + q + 1] = within[p * row + q] + sum
      }
    }
    self.within = within
  }

  /// Returns the distance between the values before `split` and those from it to before `end`, times
  /// the size of both: Q of the paper.
  ///
  /// - Parameters:
  ///   - split: At least two values lie before it.
  ///   - end: At least two values lie between it and `split`.
  /// - Returns: About 0 when nothing differs, and more the more it does.
  func distance(_ split: Int, _ end: Int) -> Double {
    let row = count + 1
    let (left, right) = (within[split], within[split * row + end])
    let across = within[end] - left - right
    let (m, n) = (Double(split), Double(end - split))
    return m * n / (m + n)
      * (2 * across / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1)))
  }

  /// Returns the split with the largest distance to a stretch that follows it, or nil when there are too
  /// few values.
  ///
  /// The stretch need not reach to the end: of a series that goes up and down again the end is like the
  /// begin.
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
