/// Simulates comparisons without a change, to find how small the error of each look must be.
///
/// Each run draws differences from a symmetric distribution; which one is of no matter. Of the exact
/// two-sided signed rank p-values at the looks the smallest is kept: it is at most the level *a* in as
/// many runs as cross a boundary of level *a* anywhere. So the share of runs in which it is at most *a*
/// is the error over all looks, for every *a* at once.
///
/// `Scripts/bench evidence --boundaries` makes the tables of `LookSchedule` by it.
public struct NullSimulation: Sendable {
  /// Smallest p-values above this are only counted.
  private static let largestKept = 0.06

  /// The numbers of pairs of the looks, ascending.
  public let looks: [Int]
  /// The number of runs.
  public private(set) var runs = 0
  /// The smallest p-value of each run in which that is small, unordered.
  private var smallest: [Double] = []
  /// The p-value of each rank sum, at each look.
  private let pValues: [[Double]]

  /// Creates a simulation of schedules; at least one look.
  public init(looks: [Int]) {
    self.looks = looks
    pValues = looks.map { count in
      let distribution = RankDistribution.ofSigns(count)
      let last = distribution.probabilities.count - 1
      return (0...last).map { sum in
        min(1, 2 * min(distribution.atMost(sum), distribution.atMost(last - sum)))
      }
    }
  }

  /// Simulates more runs.
  ///
  /// - Parameters:
  ///   - runs: How many.
  ///   - generator: Where the differences come from.
  /// - Complexity: O(`runs` *n*²) time for *n* pairs at the last look.
  public mutating func run(_ runs: Int, _ generator: inout SeededGenerator) {
    guard let last = looks.last else { return }
    var differences = [Double](repeating: 0, count: last)
    for _ in 0..<runs {
      var (look, sum, least) = (0, 0, 1.0)
      for count in 1...last {
        let new = generator.nextUniform() - 0.5
        differences[count - 1] = new
        // The rank sum is the number of pairs of values, each with itself too, of positive sum.
        for index in 0..<count where differences[index] + new > 0 { sum += 1 }
        if count == looks[look] {
          least = min(least, pValues[look][sum])
          look += 1
        }
      }
      if least <= Self.largestKept { smallest.append(least) }
    }
    self.runs += runs
  }

  /// Adds the runs of another simulation of the same looks.
  public mutating func add(_ other: NullSimulation) {
    precondition(looks == other.looks, "simulations of different looks cannot be added")
    runs += other.runs
    smallest += other.smallest
  }

  /// Returns the share of runs that cross a boundary of this level at any look.
  public func error(atLevel level: Double) -> Double {
    Double(smallest.count { $0 <= level * roundingSlack }) / Double(max(runs, 1))
  }

  /// Returns the largest level at which the error over all looks is at most `error`, or nil when no
  /// such level was met.
  ///
  /// Two standard errors of the simulation are kept as a reserve.
  public func level(forError error: Double) -> Double? {
    let sorted = smallest.sorted()
    let count = Double(runs)
    let allowed = error * count - 2 * (error * (1 - error) * count).squareRoot()
    guard allowed >= 1 else { return nil }
    // Of equal values all must fit in.
    var fit = min(Int(allowed), sorted.count)
    while fit > 0, fit < sorted.count, sorted[fit - 1] == sorted[fit] { fit -= 1 }
    return fit > 0 ? sorted[fit - 1] : nil
  }
}
