/// Two one-sided tests: whether a change is shown to be smaller than a margin.
///
/// The absence of a significant difference is no evidence of equivalence; the rejection of both "at
/// least the margin more" and "at least the margin less" is.
///
/// - Note: Schuirmann 1987, doi:10.1007/BF01068419; with ranks instead of t as in Wellek 2010,
///   Testing Statistical Hypotheses of Equivalence and Noninferiority, chapters 5 and 6.
public enum Equivalence {
  /// Tests whether paired differences are within a margin around zero, by signed ranks.
  ///
  /// - Parameters:
  ///   - differences: Candidate minus base, at least one.
  ///   - margin: The margin in the unit of the differences, positive.
  /// - Returns: The larger one-sided p-value with its statistic; a small p-value means equivalence.
  ///   The test at level a agrees with the interval at 1 - 2a being within the margin.
  /// - Throws: `emptySample`, `notFinite` or `outOfRange`.
  public static func test(
    _ differences: [Double], margin: Double
  ) throws(StatisticsError) -> TestResult {
    try checkMargin(margin)
    let above = try SignedRank.test(differences.map { $0 + margin }, alternative: .greater)
    let below = try SignedRank.test(differences.map { $0 - margin }, alternative: .less)
    return above.p >= below.p ? above : below
  }

  /// Tests whether two samples are within a margin of each other, by rank sums.
  ///
  /// - Parameters:
  ///   - first: The base, at least one value.
  ///   - second: The candidate, at least one value.
  ///   - margin: The margin in the unit of the values, positive.
  /// - Returns: The larger one-sided p-value with its statistic; a small p-value means equivalence.
  /// - Throws: `emptySample`, `notFinite` or `outOfRange`.
  public static func test(
    _ first: [Double], _ second: [Double], margin: Double
  ) throws(StatisticsError) -> TestResult {
    try checkMargin(margin)
    let above = try RankSum.test(second.map { $0 + margin }, first, alternative: .greater)
    let below = try RankSum.test(second.map { $0 - margin }, first, alternative: .less)
    return above.p >= below.p ? above : below
  }

  private static func checkMargin(_ margin: Double) throws(StatisticsError) {
    guard margin > 0, margin.isFinite else {
      throw .outOfRange(parameter: "the margin", value: margin, range: "above 0")
    }
  }
}
