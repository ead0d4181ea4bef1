/// A simulation of comparisons without a change, to find the error that each look may have.
///
/// Each run draws differences from a symmetric distribution; any one gives the same result. The
/// simulation keeps the smallest of the exact two-sided signed rank p-values at the looks. It is at
/// most *a* in exactly those runs that cross a boundary of level *a* at any look, so the share of
/// these runs is the error over all looks, for every *a* at once. If the levels of the looks differ,
/// each p-value is divided by the weight of its look first.
///
/// `Scripts/bench evidence --boundaries` creates the tables of `LookSchedule` with it.
public struct NullSimulation: Sendable {
  /// The p-value above which runs are only counted.
  private static let largestKept = 0.06

  /// The numbers of pairs of the looks, ascending.
  public let looks: [Int]
  /// The number of runs.
  public private(set) var runs = 0
  /// The smallest p-values of the runs that are not only counted, unordered.
  private var smallest: [Double] = []
  /// The p-value of each rank sum, for each look.
  private let pValues: [[Double]]

  /// Creates a simulation with at least one look.
  ///
  /// - Parameters:
  ///   - looks: The numbers of pairs, ascending.
  ///   - weights: The weight of each look's level; nil for equal ones.
  public init(looks: [Int], weights: [Double]? = nil) {
    self.looks = looks
    pValues = looks.enumerated().map { look, count in
      let distribution = RankDistribution.ofSigns(count)
      let last = distribution.probabilities.count - 1
      return (0...last).map { sum in
        min(1, 2 * min(distribution.atMost(sum), distribution.atMost(last - sum)))
          / (weights?[look] ?? 1)
      }
    }
  }

  /// Simulates more runs with differences from a generator.
  ///
  /// - Complexity: O(`runs` *n*²) time for *n* pairs at the last look.
  public mutating func run(_ runs: Int, _ generator: inout SeededGenerator) {
    guard let last = looks.last else { return }
    var differences = [Double](repeating: 0, count: last)
    for _ in 0..<runs {
      var (look, sum, least) = (0, 0, 1.0)
      for count in 1...last {
        let new = generator.nextUniform() - 0.5
        differences[count - 1] = new
        // The rank sum is the number of Walsh averages that are positive.
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

  /// Adds the runs of another simulation with the same looks.
  public mutating func add(_ other: NullSimulation) {
    precondition(looks == other.looks, "simulations of different looks cannot be added")
    runs += other.runs
    smallest += other.smallest
  }

  /// Returns the share of runs that cross a boundary of this level at any look.
  public func error(atLevel level: Double) -> Double {
    Double(smallest.count { $0 <= level * roundingSlack }) / Double(max(runs, 1))
  }

  /// Returns the largest level whose error over all looks is at most `error`; nil if there is none.
  ///
  /// Two standard errors of the simulation are subtracted as a reserve.
  public func level(forError error: Double) -> Double? {
    let sorted = smallest.sorted()
    let count = Double(runs)
    let allowed = error * count - 2 * (error * (1 - error) * count).squareRoot()
    guard allowed >= 1 else { return nil }
    // Equal values must all be included or all be excluded.
    var fit = min(Int(allowed), sorted.count)
    while fit > 0, fit < sorted.count, sorted[fit - 1] == sorted[fit] { fit -= 1 }
    return fit > 0 ? sorted[fit - 1] : nil
  }
}
