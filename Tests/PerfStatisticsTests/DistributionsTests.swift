import Testing

@testable import PerfStatistics

struct DistributionsTests {
  /// SciPy 1.17: norm.ppf.
  @Test(arguments: [
    (0.975, 1.959963984540054), (0.995, 2.5758293035489004), (0.5, 0), (0.025, -1.959963984540054),
    (1e-10, -6.361340902404056),
  ])
  func `normal quantiles agree with SciPy`(probability: Double, expected: Double) {
    #expect(isClose(Distributions.normalQuantile(probability), expected))
  }

  /// The 97.5 % column of any table of Student's t; digits from SciPy 1.17: t.ppf.
  @Test(arguments: [
    (1, 12.706204736174694), (2, 4.302652729749462), (4, 2.7764451051977934),
    (5, 2.5705818356363146), (9, 2.262157162798205), (30, 2.0422724563012378),
  ])
  func `Student's quantiles agree with published tables`(degrees: Int, expected: Double) {
    let quantile = Distributions.studentTwoSided(confidence: 0.95, degrees: degrees)
    #expect(isClose(quantile, expected, within: 1e-9))
  }

  @Test
  func `the interval of a mean is Student's`() throws {
    // SciPy 1.17: t.interval(0.95, 6, mean(x), sem(x)).
    let estimate = try Mean.estimate(of: [12.1, 11.8, 12.5, 13.0, 11.2, 12.2, 12.9])
    #expect(isClose(estimate.value, 12.242857142857144))
    #expect(isClose(estimate.low, 11.660725348089231, within: 1e-9))
    #expect(isClose(estimate.high, 12.824988937625056, within: 1e-9))
    #expect(try Mean.estimate(of: [4]).interval == nil)
  }

  /// SciPy 1.17: binom.cdf(1, 10, 0.5) and binom.cdf(7, 20, 0.3).
  @Test(arguments: [(10, 0.5, 1, 0.0107421875), (20, 0.3, 7, 0.7722717974181608)])
  func `binomial probabilities agree with SciPy`(
    count: Int, probability: Double, successes: Int, expected: Double
  ) {
    let cumulative = Distributions.binomialCumulative(count: count, probability: probability)
    #expect(isClose(cumulative[successes], expected))
    #expect(cumulative.count == count + 1 && cumulative[count] == 1)
  }

  @Test
  func `a rank distribution is symmetric and sums to one`() {
    for distribution in [
      RankDistribution(mannWhitney: 4, 7), RankDistribution(coinsOver: Array(1...12)),
      RankDistribution(drawing: 3, from: [2, 4, 6, 8, 10]),
    ] {
      #expect(isClose(distribution.probabilities.reduce(0, +), 1))
    }
    let mannWhitney = RankDistribution(mannWhitney: 4, 7).probabilities
    #expect(mannWhitney.count == 29)
    #expect(zip(mannWhitney, mannWhitney.reversed()).allSatisfy { isClose($0, $1) })
  }

  @Test
  func `drawing ranks without ties gives the Mann-Whitney distribution`() {
    // W = U + m(m + 1)/2; the scores are doubled ranks.
    let drawn = RankDistribution(drawing: 4, from: (1...9).map { 2 * $0 })
    let direct = RankDistribution(mannWhitney: 4, 5)
    for u in 0...20 {
      #expect(isClose(drawn.probabilities[2 * (u + 10)], direct.probabilities[u]))
    }
  }

  @Test
  func `the seeded generator gives the published sequence`() {
    // The first outputs of SplitMix64 for the seed 1234567, from Vigna's reference code.
    var generator = SeededGenerator(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.next() == 9_817_491_932_198_370_423)
  }
}
