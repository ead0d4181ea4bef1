/// The search for changes in a series (E-divisive).
///
/// The search splits the series where the values before and after differ most by the energy
/// distance (the mean distance between the sides minus the mean distance within each). It continues
/// in the parts as long as a permutation test finds the best split significant. It makes no
/// assumption about the distribution, and a single outlier is not a change.
///
/// - Note: Matteson and James 2014, doi:10.1080/01621459.2013.849605, with exponent 1.
public enum ChangePoints {
  /// A change of the series.
  public struct Point: Hashable, Sendable {
    /// The index of the first value after the change.
    public let index: Int
    /// The p-value of the split, at least 1 / (permutations + 1).
    public let p: Double
    /// The median from the previous change to this one.
    public let before: Double
    /// The median from this change to the next one.
    public let after: Double
  }

  /// The smallest number of values of each part in a test, and between two changes.
  private static let smallestPart = 5
  /// The number of permutations per test.
  private static let permutations = 499

  /// Returns the changes of a series of values in the order of the commits, in ascending order;
  /// none for a series shorter than two parts.
  ///
  /// `level` is the largest p-value of a change. With the default a series of 60 values without a
  /// change has 0.08 changes on average, since a first false change may be followed by others. A
  /// level of 0.1 would give too many.
  ///
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O(*k* *n*² `permutations`) time for *k* changes, O(*n*²) memory.
  public static func find(
    in values: [Double], level: Double = 0.06, seed: UInt64 = 0
  ) throws(StatisticsError) -> [Point] {
    let values = try checked(values, "the series")
    var generator = SeededGenerator(seed: seed)
    var bounds = [0, values.count]
    var pValues: [Int: Double] = [:]
    while let split = bestSplit(values, bounds) {
      let p = p(of: split, values, bounds, level, &generator)
      guard p <= level else { break }
      pValues[split.index] = p
      bounds = (bounds + [split.index]).sorted()
    }
    return points(values, settled(values, bounds), pValues)
  }

  /// Moves each change to its most probable place between its neighbours, which are known now.
  ///
  /// The search finds a change of the last three values at the fifth last one, because a test needs parts. The change
  /// is moved to the third last value then, as at the other end.
  private static func settled(_ values: [Double], _ bounds: [Int]) -> [(found: Int, index: Int)] {
    (0..<max(0, bounds.count - 2)).map { part in
      let (start, found, end) = (bounds[part], bounds[part + 1], bounds[part + 2])
      let least = start == 0 ? 1 : smallestPart
      let most = end - start - (end == values.count ? 1 : smallestPart)
      let place = ChangePlace.index(
        in: Array(values[start..<end]), near: found - start, among: least...most)
      return (found, start + place)
    }
  }

  private static func points(
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

  private static func bestSplit(_ values: [Double], _ bounds: [Int]) -> (
    index: Int, distance: Double
  )? {
    zip(bounds, bounds.dropFirst()).compactMap { start, end in
      SegmentEnergy(values[start..<end]).best(smallestPart: smallestPart)
        .map { (index: start + $0.index, distance: $0.distance) }
    }
    .max { $0.distance < $1.distance }
  }

  /// Returns the share of permutations with an equal or better split.
  private static func p(
    of split: (index: Int, distance: Double), _ values: [Double], _ bounds: [Int], _ level: Double,
    _ generator: inout SeededGenerator
  ) -> Double {
    var atLeast = 0
    let most = Int(level * Double(permutations + 1))
    for round in 1...permutations {
      var shuffled: [Double] = []
      for (start, end) in zip(bounds, bounds.dropFirst()) {
        shuffled += values[start..<end].shuffled(using: &generator)
      }
      // The tolerance keeps rounding from making an equal split worse.
      if let other = bestSplit(shuffled, bounds), other.distance >= split.distance * (1 - 1e-12) {
        atLeast += 1
      }
      // The p-value will be above the level.
      if atLeast > most { return Double(atLeast + 1) / Double(round + 1) }
    }
    return Double(atLeast + 1) / Double(permutations + 1)
  }
}
