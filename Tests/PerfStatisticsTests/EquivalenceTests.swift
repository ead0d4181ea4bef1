import Testing

@testable import PerfStatistics

struct EquivalenceTests {
  @Test
  func `the equivalence test of pairs returns the larger one-sided p-value`() throws {
    // SciPy 1.17: wilcoxon(d + 1, alternative='greater').pvalue = 0.00390625, statistic 44;
    // wilcoxon(d - 1, alternative='less').pvalue = 0.001953125.
    let result = try Equivalence.test(SignedRankTests().depression, margin: 1)
    #expect(result == TestResult(statistic: 44, p: 0.00390625, method: .exact))
    // The centre is -0.46, beyond a margin of 0.4.
    #expect(try Equivalence.test(SignedRankTests().depression, margin: 0.4).p > 0.5)
  }

  @Test
  func `the equivalence test of two samples returns the larger one-sided p-value`() throws {
    // SciPy 1.17: mannwhitneyu(second - 2.5, first, alternative='less', method='exact').
    let result = try Equivalence.test(
      KolmogorovSmirnovTests.first, KolmogorovSmirnovTests.second, margin: 2.5)
    #expect(result.statistic == 45 && isClose(result.p, 0.001296087715638851))
  }

  @Test
  func `the equivalence test agrees with the interval at twice the error`() throws {
    let differences = PairedData.noise(11, 20)
    let interval = try #require(
      try HodgesLehmann.center(of: differences, confidence: 0.9).interval)
    let reach = max(-interval.lowerBound, interval.upperBound)
    #expect(try Equivalence.test(differences, margin: reach * 1.001).p <= 0.05)
    #expect(try Equivalence.test(differences, margin: reach * 0.999).p > 0.05)
  }

  @Test(arguments: [0, -1, Double.nan])
  func `an equivalence margin that is not positive is refused`(margin: Double) {
    #expect(throws: StatisticsError.self) { try Equivalence.test([1], margin: margin) }
  }
}
