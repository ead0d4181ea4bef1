/// Finds where a series changes: E-divisive.
///
/// It splits the series where what lies before differs most from what lies after, by the energy distance
/// (the mean distance between values of both sides, less that within each), and goes on in the parts as
/// long as a permutation test finds the best split better than chance. Nothing is taken of the
/// distribution, and a lone outlier is no change.
///
/// - Note: Matteson and James 2014, doi:10.1080/01621459.2013.849605, with the exponent 1.
public struct ChangePoints: Sendable {
  /// A place from which on a series is different.
  public struct Point: Hashable, Sendable {
    /// Index of the first value after the change.
    public let index: Int
    /// The p-value of the split, at least 1 / (permutations + 1).
    public let p: Double
    /// The medians from the change before to this one, and from this one to the next.
    public let before: Double
    /// As `before`.
    public let after: Double
  }

  /// Splits with a p-value above this are none.
  public var level: Double
  /// The least number of values between two changes, and at the ends.
  public var smallestPart: Int
  /// How many permutations a test takes.
  public var permutations: Int
  /// Of the permutations.
  public var seed: UInt64

  /// Creates a search.
  ///
  /// With the default level a flat series of 60 values has 0.08 changes in the mean: the first one that is
  /// found may be followed by others. A tenth would be too many.
  public init(
    level: Double = 0.06, smallestPart: Int = 5, permutations: Int = 499, seed: UInt64 = 0
  ) {
    self.level = level
    self.smallestPart = max(2, smallestPart)
    self.permutations = permutations
    self.seed = seed
  }

  /// Finds the changes of a series.
  ///
  /// - Parameter values: In the order of the commits, at least one.
  /// - Returns: The changes by index; empty for a series shorter than two parts.
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O(*k* *n*² `permutations`) time for *k* changes, O(*n*²) memory.
  public func find(in values: [Double]) throws(StatisticsError) -> [Point] {
    let values = try checked(values, "the series")
    var generator = SeededGenerator(seed: seed)
    var bounds = [0, values.count]
    var pValues: [Int: Double] = [:]
    while let split = bestSplit(values, bounds) {
      let p = p(of: split, values, bounds, &generator)
      guard p <= level else { break }
      pValues[split.index] = p
      bounds = (bounds + [split.index]).sorted()
    }
    return points(values, settled(values, bounds), pValues)
  }

  /// Moves each change to the most probable place between its neighbours: when it was found, changes
  /// beside it were not known yet.
  private func settled(_ values: [Double], _ bounds: [Int]) -> [(found: Int, index: Int)] {
    (0..<max(0, bounds.count - 2)).map { part in
      let (start, found, end) = (bounds[part], bounds[part + 1], bounds[part + 2])
      let place = ChangePlace.index(
        in: Array(values[start..<end]), near: found - start, smallestPart: smallestPart)
      return (found, start + place)
    }
  }

  private func points(
    _ values: [Double], _ indices: [(found: Int, index: Int)], _ pValues: [Int: Double]
  ) -> [Point] {
    indices.enumerated().map { place, change in
      let start = place > 0 ? indices[place - 1].index : 0
      let end = place + 1 < indices.count ? indices[place + 1].index : values.count
      func median(_ range: Range<Int>) -> Double {
        Quantiles.ofSorted(values[range].sorted(), 0.5)
      }
      return Point(
        index: change.index, p: pValues[change.found] ?? 1, before: median(start..<change.index),
        after: median(change.index..<end))
    }
  }

  /// A split of one part.
  private struct Split {
    let index: Int
    let distance: Double
  }

  private func bestSplit(_ values: [Double], _ bounds: [Int]) -> Split? {
    zip(bounds, bounds.dropFirst()).compactMap { start, end in
      SegmentEnergy(values[start..<end]).best(smallestPart: smallestPart)
        .map { Split(index: start + $0.index, distance: $0.distance) }
    }
    .max { $0.distance < $1.distance }
  }

  /// Returns how often parts whose values are shuffled have as good a split.
  private func p(
    of split: Split, _ values: [Double], _ bounds: [Int], _ generator: inout SeededGenerator
  ) -> Double {
    var atLeast = 0
    let most = Int(level * Double(permutations + 1))
    for round in 1...max(1, permutations) {
      var shuffled: [Double] = []
      for (start, end) in zip(bounds, bounds.dropFirst()) {
        shuffled += values[start..<end].shuffled(using: &generator)
      }
      // Rounding must not make an equal split a worse one.
      if let other = bestSplit(shuffled, bounds), other.distance >= split.distance * (1 - 1e-12) {
        atLeast += 1
      }
      // It is above the level whatever comes.
      if atLeast > most { return Double(atLeast + 1) / Double(round + 1) }
    }
    return Double(atLeast + 1) / Double(permutations + 1)
  }
}
