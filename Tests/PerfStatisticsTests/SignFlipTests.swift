import Testing

@testable import PerfStatistics

struct SignFlipTests {
  /// Darwin's maize: crossed minus self-fertilised, in eighths of an inch.
  ///
  /// Fisher 1935, section 21, counts 863 of 32,768 sign patterns with a sum of at least 314.
  let maize: [Double] = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

  @Test
  func `the sign-flip test gives Fisher's p-value for Darwin's maize`() throws {
    #expect(SignFlip.tail(maize) == 863 / 32_768.0)
    // SciPy 1.17: permutation_test((maize,), sum, permutation_type='samples') = 0.05267333984375.
    let result = try SignFlip.test(maize)
    #expect(result.statistic == 314 && result.p == 1726 / 32_768.0 && result.method == .exact)
  }

  @Test
  func `zeros do not change the sign-flip test and all zeros give a p-value of one`() throws {
    #expect(try SignFlip.test(maize + [0, 0]).p == SignFlip.test(maize).p)
    #expect(try SignFlip.test([0, 0, 0]).p == 1)
  }

  @Test
  func `sums that differ only by rounding count as equal`() throws {
    // 0.1 + 0.2 and 0.3 are different Doubles. One of the 8 patterns has a sum >= 0.6, and 5 have a
    // sum >= 0 (including -0.1 - 0.2 + 0.3).
    #expect(SignFlip.tail([0.1, 0.2, 0.3]) == 1 / 8.0)
    #expect(SignFlip.tail([-0.1, -0.2, 0.3]) == 5 / 8.0)
  }

  @Test
  func `many differences are simulated with a reproducible seed`() throws {
    // 40 values have equal magnitude, so the number of positive signs is binomial: P(B >= 27) with
    // B ~ Bin(40, 1/2) is 0.01924 (SciPy 1.17: binom.sf(26, 40, 0.5)), twice that 0.03848. With
    // 20,000 resamples the standard error of the p-value is 0.00194.
    let values = [Double](repeating: 1, count: 27) + [Double](repeating: -1, count: 13)
    let result = try SignFlip.test(values, seed: 11)
    #expect(result.method == .simulated(resamples: 20_000))
    #expect((result.p - 0.03848).magnitude < 4 * 0.00194)
    #expect(try SignFlip.test(values, seed: 11) == result)
  }

  @Test
  func `thirty-two differences are enumerated completely`() throws {
    // All have one sign: 2 of 2^32 patterns.
    let result = try SignFlip.test((1...32).map(Double.init))
    #expect(result.method == .exact)
    #expect(result.p == 0x1p-31)
  }
}
