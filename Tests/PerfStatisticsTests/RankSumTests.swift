import PerfStatistics
import Testing

struct RankSumTests {
  /// The permeability of the chorioamnion at term and before.
  ///
  /// Hollander, Wolfe and Chicken 2014, example 4.1: W = 30 for the second sample (U = 15, so 35
  /// for the first), one-sided p = 0.127, shift 0.305, interval -0.15 to 0.76 at 96 %.
  let term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
  let before = [1.15, 0.88, 0.90, 0.74, 1.21]

  @Test
  func `the permeability example has its published p-value`() throws {
    // SciPy 1.17: mannwhitneyu(term, before, method='exact').
    let result = try RankSum.test(term, before)
    #expect(result.statistic == 35)
    #expect(result.method == .exact)
    #expect(isClose(result.p, 0.2544122544122544))
    #expect(isClose(try RankSum.test(before, term).p, 0.2544122544122544))
  }

  @Test
  func `the permeability example has its published shift and interval`() throws {
    let estimate = try HodgesLehmann.shift(from: before, to: term)
    #expect(isClose(estimate.value, 0.305))
    #expect(isClose(estimate.low, -0.15))
    #expect(isClose(estimate.high, 0.76))
    // P(U <= 8) = 60/3003 with 10 and 5 values.
    #expect(isClose(estimate.coverage, 1 - 120 / 3003.0))
  }

  @Test
  func `ties use the exact distribution of the observed ranks`() throws {
    // All C(15, 8) ways counted in Python; SciPy 1.17:
    // mannwhitneyu(a, b, method=PermutationMethod(n_resamples=inf)).pvalue = 0.09292929292929293.
    let result = try RankSum.test([1, 2, 2, 3, 3, 3, 4, 5], [2, 3, 4, 4, 5, 6, 6])
    #expect(result.statistic == 13)
    #expect(result.method == .exact)
    #expect(isClose(result.p, 0.09292929292929293))
  }

  @Test
  func `large samples with ties use the corrected normal approximation`() throws {
    // SciPy 1.17: mannwhitneyu(first, second, method='asymptotic').
    let first = (0..<60).map { Double(($0 * $0) % 53) }
    let second = (0..<55).map { Double(($0 * $0) % 53 + 4) }
    let result = try RankSum.test(first, second)
    #expect(result.method == .approximate)
    #expect(result.statistic == 1357)
    #expect(isClose(result.p, 0.10136187411189876))
  }

  @Test
  func `samples just below fifty values are exact`() throws {
    // SciPy 1.17: mannwhitneyu(first, second, method='exact').
    let first = (0..<49).map { (Double($0) * 1.7).truncatingRemainder(dividingBy: 11) }
    let second = (0..<48).map { (Double($0) * 2.3).truncatingRemainder(dividingBy: 13.1) + 0.003 }
    let result = try RankSum.test(first, second)
    #expect(result.method == .exact)
    #expect(result.statistic == 960)
    #expect(isClose(result.p, 0.12030740242274914))
  }

  @Test
  func `equal samples have a p-value of one`() throws {
    let same = [Double](repeating: 4, count: 10)
    #expect(try RankSum.test(same, same).p == 1)
    let many = [Double](repeating: 4, count: 100)
    #expect(try RankSum.test(many, many).p == 1)
    #expect(try HodgesLehmann.shift(from: same, to: same).interval == 0...0)
  }

  @Test
  func `six against six values have a smallest p-value of two in 924`() throws {
    // C(12, 6) = 924. SciPy 1.17: mannwhitneyu(range(6), range(10, 16)).pvalue = 2/924.
    let apart = try RankSum.test([0, 1, 2, 3, 4, 5], [10, 11, 12, 13, 14, 15])
    #expect(isClose(apart.p, 2 / 924.0))
    #expect(isClose(RankSum.smallestP(6, 6), 2 / 924.0))
    #expect(isClose(RankSum.smallestP(1, 39), 1 / 20.0))
    #expect(RankSum.smallestP(0, 9) == 1)
  }

  /// 2/C(8, 4) = 0.0286, 2/C(10, 5) = 0.0079, 2/C(12, 6) = 0.00216.
  @Test(arguments: [(0.05, 4), (0.01, 5), (0.004, 6), (2 / 924.0, 6), (0.002, 7)])
  func `a level determines the smallest number of values per side`(level: Double, size: Int) {
    #expect(RankSum.sizeNeeded(forLevel: level) == size)
  }

  @Test
  func `three against three values have no interval at 95 percent`() throws {
    // 2/C(6, 3) = 0.1.
    let estimate = try HodgesLehmann.shift(from: [1, 2, 3], to: [11, 12, 13])
    #expect(estimate.value == 10)
    #expect(estimate.interval == nil)
    #expect(estimate.valuesNeeded == 4)
  }

  @Test
  func `the approximate interval of a shift continues the exact one`() throws {
    func half(_ count: Int) throws -> Double {
      let values = (1...count).map(Double.init)
      let estimate = try HodgesLehmann.shift(from: values, to: values)
      return try #require(estimate.high)
    }
    #expect(try (half(50) - half(49)).magnitude <= 1)
  }

  @Test
  func `an empty sample is refused with its name`() {
    #expect(throws: StatisticsError.emptySample("the second sample")) {
      try RankSum.test([1], [])
    }
    #expect(throws: StatisticsError.emptySample("the first sample")) {
      try HodgesLehmann.shift(from: [], to: [1])
    }
  }
}
