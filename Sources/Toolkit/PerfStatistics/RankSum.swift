/// The Mann-Whitney test: whether the values of one sample tend to be larger than another's.
///
/// The samples must be independent; for interleaved pairs `SignedRank` is more powerful.
///
/// - Note: Mann and Whitney 1947, doi:10.1214/aoms/1177730491.
public enum RankSum {
  /// The sample size from which the normal approximation is used without ties.
  public static let exactLimit = 50
  /// The largest sample size with the exact distribution with ties.
  public static let exactLimitWithTies = 25

  /// Tests whether two samples come from one distribution.
  ///
  /// The statistic is U of the first sample: the number of pairs in which its value is larger,
  /// where equal values count half. The distribution is exact below `exactLimit` without ties, and
  /// up to `exactLimitWithTies` with ties (over all assignments of the observed ranks). Otherwise
  /// it is the normal approximation with continuity and tie correction.
  ///
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O(*m*² *n*²) if exact, O((*m* + *n*) log(*m* + *n*)) otherwise.
  public static func test(
    _ first: [Double], _ second: [Double]
  ) throws(StatisticsError) -> TestResult {
    let first = try checked(first, "the first sample")
    let second = try checked(second, "the second sample")
    let (m, n) = (first.count, second.count)
    let ranks = Ranks(first + second)
    let doubledSum = ranks.doubled[..<m].reduce(0, +)
    let doubledU = doubledSum - m * (m + 1)
    let statistic = Double(doubledU) / 2
    func exact(_ distribution: RankDistribution, _ observed: Int) -> TestResult {
      TestResult(
        statistic, atMost: distribution.atMost(observed), atLeast: distribution.atLeast(observed),
        .exact)
    }
    if !ranks.hasTies, max(m, n) < exactLimit {
      return exact(RankDistribution(mannWhitney: m, n), doubledU / 2)
    }
    if ranks.hasTies, max(m, n) <= exactLimitWithTies {
      return exact(RankDistribution(drawing: m, from: ranks.doubled), doubledSum)
    }
    let (pairs, total) = (Double(m * n), Double(m + n))
    let variance = pairs / 12 * (total + 1 - ranks.tieTerm / (total * (total - 1)))
    return TestResult(statistic, mean: pairs / 2, variance: variance)
  }

  /// Returns the smallest possible two-sided p-value of samples of these sizes, without ties.
  public static func smallestP(_ first: Int, _ second: Int) -> Double {
    // 2 / C(m + n, m): all values of one sample exceed the other's, in both directions.
    var ways = 1.0
    for k in stride(from: 1, through: min(first, second), by: 1) {
      ways *= Double(max(first, second) + k) / Double(k)
    }
    return min(1, 2 / ways)
  }

  /// Returns the smallest size of both samples, up to 1,024, that can have the p-value `level`.
  public static func sizeNeeded(forLevel level: Double) -> Int {
    var size = 1
    while smallestP(size, size) > level * roundingSlack, size < 1024 { size += 1 }
    return size
  }
}
