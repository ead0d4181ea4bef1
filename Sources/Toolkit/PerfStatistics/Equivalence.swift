/// Two one-sided tests: whether a change is shown to be smaller than a margin.
///
/// That no difference was found says nothing; that both "at least the margin more" and "at least the
/// margin less" are rejected does.
///
/// - Note: Schuirmann 1987, doi:10.1007/BF01068419; with ranks in place of t as Wellek 2010, Testing
///   Statistical Hypotheses of Equivalence and Noninferiority, chapters 5 and 6.
public enum Equivalence {
  /// Tests whether paired differences lie within a margin around zero, by signed ranks.
  ///
  /// - Parameters:
  ///   - differences: Candidate minus base, at least one.
  ///   - margin: In their unit, positive.
  /// - Returns: The larger of both one-sided p-values with its statistic: small is equivalent. At a level
  ///   a it agrees with the interval at 1 - 2a inside of the margin.
  /// - Throws: `emptySample`, `notFinite` or `outOfRange`.
  public static func test(
    _ differences: [Double], margin: Double
  ) throws(StatisticsError) -> TestResult {
    try checkMargin(margin)
    let above = try SignedRank.test(differences.map { $0 + margin }, alternative: .greater)
    let below = try SignedRank.test(differences.map { $0 - margin }, alternative: .less)
    return above.p >= below.p ? above : below
  }

  /// Tests whether two samples lie within a margin of each other, by rank sums.
  ///
  /// - Parameters:
  ///   - first: The base, at least one value.
  ///   - second: The candidate, at least one value.
  ///   - margin: In their unit, positive.
  /// - Returns: As of paired differences.
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
