/// The signed rank test of the pairs that lie together, with its estimate and intervals.
///
/// Even with the minimum of four launches a side one pair in ten or twenty has a side whose launches all
/// met the machine's slow state, 40 % apart. Such pairs would hold the highest ranks, and half of the
/// variance of the rank sum. So a centre is tested by those pairs alone that lie within four times the
/// median distance from it. Distances do not depend on signs: whichever pairs are left, each sign is
/// still as likely as the other, and the test stays exact. Nothing is dropped for good; where the whole
/// sample lies on one side of a centre, its pairs lie together as seen from there.
///
/// `Scripts/bench evidence` has what that is worth on recorded and simulated launches.
struct CoreSignedRank {
  /// Up to how many median distances from the centre a pair counts.
  static let reach = 4.0

  private let values: [Double]
  /// How many values lie together around the median.
  private let coreCount: Int
  /// The means of these.
  private let averages: WalshAverages

  /// Prepares the test.
  ///
  /// - Parameter differences: Candidate minus base, at least one, symmetric around their centre.
  /// - Throws: `emptySample` or `notFinite`.
  init(_ differences: [Double]) throws(StatisticsError) {
    let middle = try Quantiles.median(of: differences)
    let core = Self.core(differences, around: middle)
    values = differences
    coreCount = core.count
    averages = try WalshAverages(core)
  }

  /// The Hodges-Lehmann estimate of the pairs that lie together around the median.
  var estimate: Double { averages.estimate }

  /// Returns the two-sided p-value of a centre.
  func p(at center: Double) -> Double {
    let distances = Self.core(values, around: center).map { $0 - center }
    // Of distances that all differ the distribution is known; ties and zeros have one of their own.
    let order = distances.indices.sorted {
      distances[$0].magnitude < distances[$1].magnitude
    }
    var (sum, last) = (0, 0.0)
    for (rank, index) in order.enumerated() {
      guard distances[index].magnitude > last else {
        return (try? SignedRank.test(distances).p) ?? 1
      }
      last = distances[index].magnitude
      if distances[index] > 0 { sum += rank + 1 }
    }
    let distribution = RankDistribution.ofSigns(distances.count)
    let total = distances.count * (distances.count + 1) / 2
    return min(1, 2 * distribution.atMost(min(sum, total - sum)))
  }

  /// Returns the centres that are not rejected at a two-sided error, or nil where so few values reject
  /// none.
  ///
  /// Its limits are means of two values that lie together, where ranks change. Far out, where a lone
  /// pair comes near, there may be centres that are not rejected either; what is decided by is therefore
  /// asked for by name.
  ///
  /// - Parameters:
  ///   - error: Of both sides together.
  ///   - points: Centres that must lie within if they are not rejected.
  /// - Returns: A range that holds the estimate.
  /// - Complexity: O(*n* log² *n*).
  func interval(error: Double, holding points: [Double]) -> ClosedRange<Double>? {
    guard let smallest = values.min(), let largest = values.max(),
      2 * SignFlip.smallestTail(values.count) <= error * roundingSlack
    else { return nil }
    // Too few lie together to reject anything by themselves.
    guard 2 * SignFlip.smallestTail(coreCount) <= error * roundingSlack else {
      return smallest...largest
    }
    func isRejected(_ center: Double) -> Bool { p(at: center) <= error * roundingSlack }
    let sorted = averages.sorted
    /// Between this average and the next one.
    func isGapRejected(_ index: Int) -> Bool {
      isRejected(sorted[index] / 2 + sorted[index + 1] / 2)
    }
    let inside = max(0, sorted.count { $0 < estimate } - 1)
    let down = Self.steps(inside) { isGapRejected(inside - $0) }
    let up = Self.steps(sorted.count - 2 - inside) { isGapRejected(inside + $0) }
    let (lower, upper) = (sorted[inside - down + 1], sorted[min(inside + up, sorted.count - 1)])
    let held = points.filter { !isRejected($0) } + [estimate]
    return held.reduce(lower, min)...held.reduce(upper, max)
  }

  /// Returns the first of 1 to `limit` steps that goes too far, or one more when none does.
  private static func steps(_ limit: Int, _ goesTooFar: (Int) -> Bool) -> Int {
    var (near, far) = (0, max(limit, 0) + 1)
    while far - near > 1 {
      let middle = (near + far) / 2
      if goesTooFar(middle) { far = middle } else { near = middle }
    }
    return far
  }

  /// Returns the values that lie together around a centre; all of them when half are equal to it.
  private static func core(_ values: [Double], around center: Double) -> [Double] {
    let distances = values.map { ($0 - center).magnitude }
    let limit = reach * Quantiles.ofSorted(distances.sorted(), 0.5)
    return limit > 0 ? values.filter { ($0 - center).magnitude <= limit } : values
  }
}
