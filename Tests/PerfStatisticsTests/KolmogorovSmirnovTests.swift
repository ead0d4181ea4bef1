import Testing

@testable import PerfStatistics

struct KolmogorovSmirnovTests {
  static let first = [
    0.61, 0.29, 0.06, 0.59, -1.73, -0.74, 0.51, -0.56, 0.39, 1.64, 0.05, -0.06, 0.64, -0.82, 0.37,
    1.77, 1.09, -1.28, 2.36, 1.31, 1.05, -0.32, -0.40, 1.06, -2.47,
  ]
  static let second = [1.2, 0.9, 2.2, 1.7, 0.4, 2.8, 1.9, 0.3, 1.1, 2.4]

  @Test
  func `the exact Kolmogorov-Smirnov p-value agrees with SciPy`() throws {
    // SciPy 1.17: ks_2samp(first, second, method='exact').
    let result = try KolmogorovSmirnov.test(Self.first, Self.second)
    #expect(isClose(result.statistic, 0.54) && isClose(result.p, 0.02068983819948945))
    #expect(result.method == .exact)
    // With ties: 0.5 and 5/14.
    let tied = try KolmogorovSmirnov.test([1, 2, 2, 3, 4], [2, 3, 3, 5, 6, 7])
    #expect(tied.statistic == 0.5 && isClose(tied.p, 5 / 14.0))
    // Disjoint samples: 2 of C(7, 3) = 35 orders.
    let apart = try KolmogorovSmirnov.test([1, 2, 3, 4], [5, 6, 7])
    #expect(apart.statistic == 1 && isClose(apart.p, 2 / 35.0))
  }

  @Test
  func `large samples use the limit of the Kolmogorov distribution`() throws {
    // SciPy 1.17: special.kolmogorov(d * sqrt(m n / (m + n))).
    let first = (0..<1201).map { Double(($0 * 37) % 1201) / 7 }
    let second = (0..<1301).map { Double(($0 * 53) % 1301) / 7 + 5 }
    let result = try KolmogorovSmirnov.test(first, second)
    #expect(isClose(result.statistic, 0.10376633358954646))
    #expect(isClose(result.p / 2.886639414299096e-06, 1, within: 1e-9))
    #expect(result.method == .approximate)
  }

  @Test
  func `two samples of one distribution have a large p-value`() throws {
    #expect(try KolmogorovSmirnov.test([1, 2, 3], [1, 2, 3]).p == 1)
    #expect(throws: StatisticsError.self) { try KolmogorovSmirnov.test([], [1]) }
  }
}
