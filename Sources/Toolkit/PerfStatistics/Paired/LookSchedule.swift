internal import Glibc
internal import PerfModel

/// The numbers of pairs at which a comparison is judged (looks), and the error of each look.
///
/// Many looks at one growing sample with an error of 2 % each would have a far larger error in
/// total. So the error is spent (Lan and DeMets), in three parts:
///
/// - Half of it on a changed centre at the five first looks, all with the same error (Pocock's
///   boundaries). This error is found by simulating the null hypothesis (`NullSimulation`): each
///   difference has either sign with equal probability, so the signed rank sums of the first 10,
///   14, ... pairs have a joint distribution that does not depend on the distribution of the
///   differences.
/// - Three tenths on a changed centre at later looks, each with twice the pairs of the last but one.
///   Each look has a fifth of the error that the looks before it left. The sum is a bound for any
///   number of looks.
/// - Two tenths on a changed distribution (`LaunchDistribution`), likewise a fifth of the rest at
///   each look from the third one on; fewer pairs cannot reach such an error.
///
/// - Note: Pocock 1977, doi:10.1093/biomet/64.2.191; Lan and DeMets 1983,
///   doi:10.1093/biomet/70.3.659.
public struct LookSchedule: Hashable, Sendable {
  /// One look at a comparison.
  public struct Look: Hashable, Sendable {
    /// The number of pairs.
    public let pairs: Int
    /// The two-sided error of the interval of a change, at this look alone.
    public let changeError: Double
    /// The two-sided error of a changed distribution, at this look alone; 0 if it is not tested.
    public let distributionError: Double
    /// The two-sided error of the equivalence interval, at this look alone.
    public let equivalenceError: Double
  }

  /// The numbers of pairs of the first looks, apart from looks that cannot reach their boundary.
  public static let pairs = [10, 14, 20, 28, 40]
  /// The largest probability that an equivalence interval of any look misses the true change.
  public static let equivalenceError = 0.05
  /// The share of the error that is spent on changes of the centre at the first looks.
  public static let firstShare = 0.5
  private static let laterShare = 0.3
  /// The share of the error that is spent on changes of the centre at all looks.
  public static let centreShare = firstShare + laterShare
  private static let distributionShare = 0.2
  /// The share of the error of equivalence that is spent at the first looks.
  public static let firstEquivalenceShare = 0.6
  /// The share of the remaining error that is spent at a look.
  private static let spending = 0.2

  /// The looks in ascending order of pairs, up to `mostPairs`.
  public let looks: [Look]
  /// The error over all looks: the requested one, or the next smaller one in the table.
  public let error: Double

  /// Creates the schedule for an error.
  ///
  /// The smallest two-sided p-value of *n* pairs is 2^(1 - *n*). A first look that cannot reach its
  /// boundary is moved to the smallest number of pairs that can, and earlier looks are omitted.
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
      looks = Self.looks(from: boundary.first, level: boundary.level, error: boundary.error)
    } else {
      // Beyond the table the error is split equally (Bonferroni), which suffices for any looks.
      self.error = error
      let level = error * Self.firstShare / Double(Self.pairs.count)
      looks = Self.looks(from: Self.pairsNeeded(level), level: level, error: error)
    }
  }

  /// Creates the schedule of metrics that share the error `RunComparer.alpha`.
  ///
  /// - Throws: `outOfRange` unless the error is strictly between 0 and 1.
  public init(metrics: Int) throws(StatisticsError) {
    try self.init(error: RunComparer.alpha / Double(max(metrics, 1)))
  }

  /// The earliest possible look.
  public static let firstLook = 11
  /// The last of the first looks, after which a comparison without limits may stop.
  public static let usualPairs = pairs[pairs.count - 1]
  /// The number of pairs of the last look; more pairs are never measured.
  public static let mostPairs = 2560
  /// The remedy for a comparison that is undecided after the last look.
  public static let remedy =
    "Use longer launches, a wider margin or fewer metrics."
  /// The forecast for a comparison that the last look will probably not decide.
  public static let tooFew =
    "The maximum of \(NumberFormat.grouped(mostPairs)) pairs is probably too few. \(remedy)"

  /// Returns the smallest number of pairs, at least `firstLook`, that can have the p-value `level`.
  public static func pairsNeeded(_ level: Double) -> Int {
    var needed = firstLook
    while SignFlip.smallestTail(needed - 1) > level * roundingSlack, needed < 1000 { needed += 1 }
    return needed
  }

  /// Returns the numbers of pairs of the first looks, given the very first one.
  static func pairs(from first: Int) -> [Int] { [first] + pairs.filter { $0 > first } }

  /// The numbers of pairs of the later looks: each is twice the last but one.
  private static let laterPairs: [Int] = {
    var all = pairs
    while all[all.count - 1] < mostPairs { all.append(2 * all[all.count - 2]) }
    return Array(all.dropFirst(pairs.count))
  }()

  private static func looks(from first: Int, level: Double, error: Double) -> [Look] {
    let early = pairs(from: first)
    /// Returns the part of an error that is spent at a look, counted from 0.
    func spent(_ error: Double, at look: Int) -> Double {
      look < 0 ? 0 : error * spending * pow(1 - spending, Double(look))
    }
    func distributionError(_ look: Int) -> Double {
      spent(distributionShare * error, at: look - pairs.count + 3)
    }
    // The level of equivalence is larger, so it can be reached at each look for a change.
    let equivalence = equivalenceLevels[first] ?? equivalenceError * firstEquivalenceShare / 5
    let skipped = pairs.count - early.count
    return early.enumerated().map { index, count in
      let distribution = RankDistribution.ofSigns(count)
      return Look(
        pairs: count, changeError: distribution.twoSided(atMost: level),
        distributionError: distributionError(index + skipped),
        equivalenceError: distribution.twoSided(atMost: equivalence))
    }
      + laterPairs.enumerated().map { index, count in
        Look(
          pairs: count, changeError: spent(laterShare * error, at: index),
          distributionError: distributionError(pairs.count + index),
          equivalenceError: spent(equivalenceError * (1 - firstEquivalenceShare), at: index))
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
