import Testing

@testable import PerfStatistics

struct SignedRankTests {
  /// The Hamilton depression scale, second visit minus first.
  ///
  /// Hollander, Wolfe and Chicken 2014, example 3.1: T+ = 5, one-sided p = 0.020, centre -0.46,
  /// interval -0.786 to -0.010 at 96.1 %.
  let depression = [-0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010]

  @Test
  func `the depression example has its published p-value`() throws {
    // Patterns of 9 signs with a rank sum of at most 5: 10 of 512. SciPy 1.17:
    // wilcoxon(d, alternative='less').pvalue = 0.01953125, two-sided 0.0390625.
    let result = try SignedRank.test(depression)
    #expect(result.statistic == 5 && result.p == 0.0390625 && result.method == .exact)
  }

  @Test
  func `the depression example has its published centre and interval`() throws {
    let estimate = try HodgesLehmann.center(of: depression)
    #expect(isClose(estimate.value, -0.46))
    #expect(isClose(estimate.low, -0.786))
    #expect(isClose(estimate.high, -0.010))
    #expect(isClose(estimate.coverage, 1 - 20 / 512.0))
    #expect(estimate.method == .exact)
    #expect(estimate.valuesNeeded == 6)
  }

  @Test
  func `ties and zeros use the exact distribution of the observed ranks`() throws {
    // All 2^8 signs of the 8 nonzero midranks, counted in Python; SciPy 1.17: wilcoxon(d,
    // zero_method='pratt', method=PermutationMethod(n_resamples=inf)).pvalue is equal.
    let tied: [Double] = [0, 1, 1, -1, 2, 2, 3, -2, 4, 0]
    let result = try SignedRank.test(tied)
    #expect(result.statistic == 41 && result.p == 0.1640625 && result.method == .exact)
  }

  @Test
  func `zero differences have a p-value of one`() throws {
    #expect(try SignedRank.test([0, 0, 0]).p == 1)
    #expect(try SignedRank.test([Double](repeating: 0, count: 200)).p == 1)
  }

  @Test
  func `more than a hundred differences use the normal approximation`() throws {
    // SciPy 1.17: wilcoxon(d, zero_method='pratt', correction=True, method='asymptotic').
    let many = (0..<101).map { Double(($0 * 37) % 101 - 45) / 7 }
    let result = try SignedRank.test(many)
    #expect(result.method == .approximate)
    #expect(result.statistic == 3057.5)
    #expect(isClose(result.p, 0.10249088487201626))
  }

  @Test
  func `five differences have no interval of the centre at 95 percent`() throws {
    let estimate = try HodgesLehmann.center(of: [1, 2, 3, 4, 5])
    #expect(estimate.value == 3)
    #expect(estimate.interval == nil)
    #expect(estimate.valuesNeeded == 6)
  }

  @Test
  func `the approximate interval of a centre continues the exact one`() throws {
    // The Walsh averages of 1...n are evenly spaced, so limits relative to n change slowly around n
    // = 100.
    func half(_ count: Int) throws -> Double {
      let estimate = try HodgesLehmann.center(of: (1...count).map(Double.init))
      return try #require(estimate.high) - estimate.value
    }
    // Both are within one step (0.5) of each other.
    #expect(try (half(101) - half(100)).magnitude <= 0.5)
  }

  @Test
  func `an interval of the centre excludes zero exactly if the signed rank test rejects`() throws {
    var generator = SeededGenerator(seed: 3)
    var rejected = 0
    for _ in 0..<200 {
      let sample = (0..<8).map { _ in generator.nextUniform() - 0.2 }
      let interval = try #require(try HodgesLehmann.center(of: sample).interval)
      let p = try SignedRank.test(sample).p
      #expect(interval.contains(0) == (p > 0.05))
      if p <= 0.05 { rejected += 1 }
    }
    #expect((1..<200).contains(rejected))
  }

  /// The excess kurtosis of the rank sum of n values is about -3.6 / n, which makes the tail beyond
  /// 3.7 deviations 6 % smaller than the normal one for 400 values (Edgeworth's expansion).
  @Test(arguments: [0.01, 0.001, 0.0001])
  func `the distribution of many values has slightly larger tails than the exact one`(
    tail: Double
  ) {
    let count = RankDistribution.exactSigns + 1
    let (exact, normal) = (
      RankDistribution(coinsOver: Array(1...count)), RankDistribution.ofSigns(count)
    )
    #expect(exact.probabilities.count == normal.probabilities.count)
    let outside = normal.countBelow(tail: tail)
    let ratio = exact.atMost(outside - 1) / normal.atMost(outside - 1)
    #expect((0.93...1.0001).contains(ratio), "\(ratio)")
    #expect(abs((normal.cumulative.last ?? 0) - 1) < 1e-9)
  }
}
