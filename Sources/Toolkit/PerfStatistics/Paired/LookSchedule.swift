/// The numbers of pairs at which a comparison is judged (looks), and the error of each look.
///
/// Five looks at one growing sample with an error of 2 % each would have a far larger error in
/// total. So all looks have one smaller error (Pocock's boundaries), chosen so that the probability
/// to cross any boundary without a change is at most the requested error. The error is found by
/// simulating the null hypothesis (`NullSimulation`): each difference has either sign with equal
/// probability, so the signed rank sums of the first 10, 14, ... pairs have a joint distribution
/// that does not depend on the distribution of the differences.
///
/// - Note: Pocock 1977, doi:10.1093/biomet/64.2.191.
public struct LookSchedule: Hashable, Sendable {
  /// One look at a comparison.
  public struct Look: Hashable, Sendable {
    /// The number of pairs.
    public let pairs: Int
    /// The two-sided error of the interval of a change, at this look alone.
    public let changeError: Double
    /// The two-sided error of the equivalence interval, at this look alone.
    public let equivalenceError: Double
  }

  /// The numbers of pairs of the looks, apart from looks that cannot reach their boundary.
  public static let pairs = [10, 14, 20, 28, 40]
  /// The two-sided error of the equivalence intervals over all looks.
  public static let equivalenceError = 0.05

  /// The looks in ascending order of pairs, at least one.
  public let looks: [Look]
  /// The error over all looks: the requested one, or the next smaller one in the table.
  public let error: Double

  /// Creates the schedule for an error.
  ///
  /// The smallest two-sided p-value of *n* pairs is 2^(1 - *n*). A first look that cannot reach its
  /// boundary is moved to the smallest number of pairs that can, and earlier looks are omitted. As
  /// a change of the distribution (`DistributionChange`) cannot be found earlier, the first look is
  /// after at least 11 pairs.
  ///
  /// - Parameter error: The two-sided error of one metric over all looks, e.g. 0.02 for one gating
  ///   metric, 0.004 for each of five.
  /// - Throws: `outOfRange` unless the error is strictly between 0 and 1.
  public init(error: Double) throws(StatisticsError) {
    guard error > 0, error < 1 else {
      throw .outOfRange(
        parameter: "the error over all looks", value: error, range: "between 0 and 1, both excluded"
      )
    }
    if let boundary = Self.boundaries.first(where: { $0.error <= error * roundingSlack }) {
      self.error = boundary.error
      looks = Self.looks(from: boundary.first, level: boundary.level)
    } else {
      // Beyond the table the error is split equally (Bonferroni), which suffices for any looks.
      self.error = error
      let level = error / Double(Self.pairs.count)
      looks = Self.looks(from: Self.pairsNeeded(level), level: level)
    }
  }

  /// Creates the schedule of metrics that share the error `RunComparer.alpha`.
  ///
  /// - Throws: `outOfRange` unless the error is strictly between 0 and 1.
  public init(metrics: Int) throws(StatisticsError) {
    try self.init(error: RunComparer.alpha / Double(max(metrics, 1)))
  }

  /// The earliest possible look: a change of the distribution cannot be found with fewer pairs.
  public static let firstLook = pairsNeeded(1)
  /// The last look; more pairs are never measured.
  public static let lastLook = pairs[pairs.count - 1]
  /// The remedy for a comparison that is undecided after the last look.
  public static let remedy =
    "Use longer launches, a wider margin or fewer metrics."

  /// Returns the smallest number of pairs, at least ten, that can have the p-value `level`.
  public static func pairsNeeded(_ level: Double) -> Int {
    var needed = pairs[0]
    let reachable = min(level, DistributionChange.level) * roundingSlack
    while SignFlip.smallestTail(needed - 1) > reachable, needed < 1000 { needed += 1 }
    return needed
  }

  /// Returns the numbers of pairs of the looks, given the first one.
  static func pairs(from first: Int) -> [Int] { [first] + pairs.filter { $0 > first } }

  private static func looks(from first: Int, level: Double) -> [Look] {
    // The level of equivalence is larger, so it can be reached at each look for a change.
    let equivalence = equivalenceLevels[first] ?? equivalenceError / Double(pairs.count)
    return pairs(from: first).map { count in
      let distribution = RankDistribution.ofSigns(count)
      return Look(
        pairs: count,
        changeError: distribution.twoSided(atMost: level),
        equivalenceError: distribution.twoSided(atMost: equivalence))
    }
  }
}

extension RankDistribution {
  /// Returns the largest possible two-sided p-value that is at most `level`, or 0 if there is none.
  func twoSided(atMost level: Double) -> Double {
    let outside = countBelow(tail: level / 2)
    return outside > 0 ? 2 * cumulative[outside - 1] : 0
  }
}
