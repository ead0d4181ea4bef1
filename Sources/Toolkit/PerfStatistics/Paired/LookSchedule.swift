/// After how many pairs a comparison is looked at, and how sure it must be there to be decided.
///
/// Who looks five times at one growing sample and each time allows an error of 2 % allows far more
/// altogether. So each look has the same smaller error (Pocock's boundaries), chosen so that the
/// probability to cross any of them without a change is at most the error asked for. That is found by
/// simulating the null (`NullSimulation`): under it each difference is as likely with the other sign,
/// and the signed rank sums of the first 10, 14, ... pairs have one joint distribution, whatever the
/// distribution of the differences.
///
/// - Note: Pocock 1977, doi:10.1093/biomet/64.2.191.
public struct LookSchedule: Hashable, Sendable {
  /// A moment at which a comparison may be decided.
  public struct Look: Hashable, Sendable {
    /// After how many pairs.
    public let pairs: Int
    /// The error of the interval that tells a change: two-sided, at this look alone.
    public let changeError: Double
    /// The error of the interval that tells equivalence.
    public let equivalenceError: Double
  }

  /// The numbers of pairs at which is looked, unless a boundary is out of reach there.
  public static let pairs = [10, 14, 20, 28, 40]
  /// The error of the equivalence intervals over all looks, two-sided.
  public static let equivalenceError = 0.05

  /// The looks, pairs ascending; at least one.
  public let looks: [Look]
  /// The error over all looks that it keeps: the one asked for, or the next smaller one known.
  public let error: Double

  /// Creates the schedule for an error.
  ///
  /// *n* pairs can give no smaller two-sided p-value than 2^(1 - *n*). A first look that cannot
  /// reach its boundary is moved to the first number of pairs that can, and looks before that are
  /// left out. As no equivalence is told before a change of the distribution could be
  /// (`DistributionChange`), the first look is after 11 pairs or later.
  ///
  /// - Parameter error: Of one metric over all looks, two-sided: 0.02 for one that gates, 0.004 for
  ///   each of five.
  /// - Throws: `outOfRange` unless it lies strictly between 0 and 1.
  public init(error: Double) throws(StatisticsError) {
    guard error > 0, error < 1 else {
      throw .outOfRange(
        parameter: "the error over all looks", value: error, range: "0 to 1, both excluded")
    }
    if let boundary = Self.boundaries.first(where: { $0.error <= error * roundingSlack }) {
      self.error = boundary.error
      looks = Self.looks(from: boundary.first, level: boundary.level)
    } else {
      // Beyond the table the error is dealt out in equal parts, which is enough whatever the looks.
      self.error = error
      let level = error / Double(Self.pairs.count)
      looks = Self.looks(from: Self.pairsNeeded(level), level: level)
    }
  }

  /// Creates the schedule of metrics that share an error.
  ///
  /// - Parameters:
  ///   - metrics: How many metrics, at least one.
  ///   - alpha: The error of them all together.
  /// - Throws: `outOfRange`.
  public init(metrics: Int, alpha: Double = RunComparer.alpha) throws(StatisticsError) {
    try self.init(error: alpha / Double(max(metrics, 1)))
  }

  /// The first look of all: a change of the distribution cannot be told earlier.
  public static let firstLook = pairsNeeded(1)
  /// The last look of all: more pairs decide nothing.
  public static let lastLook = pairs[pairs.count - 1]
  /// What may decide a comparison that all looks left open.
  public static let remedy =
    "make launches longer or the margin wider, or let fewer metrics decide"

  /// Returns the least number of pairs at which can be looked.
  ///
  /// - Parameter level: The two-sided p-value that must be in reach; above 0.
  /// - Returns: At least ten.
  public static func pairsNeeded(_ level: Double) -> Int {
    var needed = pairs[0]
    while pow2(1 - needed) > min(level, DistributionChange.level) * roundingSlack, needed < 1000 {
      needed += 1
    }
    return needed
  }

  /// Returns the numbers of pairs of the looks, when the first is after so many.
  static func pairs(from first: Int) -> [Int] { [first] + pairs.filter { $0 > first } }

  private static func looks(from first: Int, level: Double) -> [Look] {
    // Equivalence takes less, so it is in reach wherever a change is.
    let equivalence = equivalenceLevels[first] ?? equivalenceError / Double(pairs.count)
    return pairs(from: first).map { count in
      let distribution = RankDistribution.ofSigns(count)
      return Look(
        pairs: count,
        changeError: distribution.twoSided(atMost: level),
        equivalenceError: distribution.twoSided(atMost: equivalence))
    }
  }

  private static func pow2(_ exponent: Int) -> Double {
    Double(sign: .plus, exponent: exponent, significand: 1)
  }
}

extension RankDistribution {
  /// Returns the largest two-sided p-value that is at most `level`, or 0 where none is.
  func twoSided(atMost level: Double) -> Double {
    let outside = countBelow(tail: level / 2)
    return outside > 0 ? 2 * cumulative[outside - 1] : 0
  }
}
