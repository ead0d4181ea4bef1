/// Wilcoxon's signed rank test: whether paired differences are centred at zero.
///
/// It assumes that the differences are symmetric around their centre.
///
/// - Note: Wilcoxon 1945, doi:10.2307/3001968; zeros by Pratt 1959,
///   doi:10.1080/01621459.1959.10501526.
public enum SignedRank {
  /// The largest number of differences with the exact distribution.
  public static let exactLimit = 100

  /// Tests whether differences are centred at zero.
  ///
  /// The statistic is the sum of the ranks of the positive differences. Zeros are ranked and then
  /// excluded; equal magnitudes share their mean rank. Up to `exactLimit` differences the
  /// distribution is exact for the observed ranks over all signs, so ties and zeros need no
  /// approximation. Above, it is the normal approximation with continuity and tie correction.
  ///
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O(*n*³) time up to `exactLimit`, O(*n* log *n*) above.
  public static func test(_ differences: [Double]) throws(StatisticsError) -> TestResult {
    let values = try checked(differences, "the sample of differences")
    let ranks = Ranks(values.map(\.magnitude)).doubled
    let kept = zip(values, ranks).filter { $0.0 != 0 }
    let observed = kept.reduce(0) { $0 + ($1.0 > 0 ? $1.1 : 0) }
    let statistic = Double(observed) / 2
    guard values.count > exactLimit else {
      let distribution = RankDistribution(coinsOver: kept.map(\.1))
      return TestResult(
        statistic, atMost: distribution.atMost(observed), atLeast: distribution.atLeast(observed),
        .exact)
    }
    // Each rank r is in the sum with probability 1/2: mean r / 2, variance r² / 4, also with ties.
    let mean = kept.reduce(0) { $0 + Double($1.1) / 4 }
    let variance = kept.reduce(0) { $0 + Double($1.1 * $1.1) / 16 }
    return TestResult(statistic, mean: mean, variance: variance)
  }
}
