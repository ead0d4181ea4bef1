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
  func `many differences of equal size have the binomial p-value`() throws {
    // P(B >= 27) with B ~ Bin(40, 1/2) is 0.01924 (SciPy 1.17: binom.sf(26, 40, 0.5)). Rounding
    // moves no sum across another one, as a sign changes the sum by 632 parts.
    let values = [Double](repeating: 0.1, count: 27) + [Double](repeating: -0.1, count: 13)
    let result = try SignFlip.test(values)
    #expect(result.method == .approximate)
    #expect((result.p - 2 * 0.01924).magnitude < 2e-5)
  }

  @Test
  func `the p-value of many differences is close to the exact one and not below it`() throws {
    // 33 values of 1...32 and a tiny one: the tail is that of the 32 values, to the rounding.
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<20 {
      let values = (1...32).map { Double($0) * (generator.nextUniform() < 0.75 ? 1 : -1) }
      let (exact, rounded) = (SignFlip.tail(values), SignFlip.tail(values + [1e-9]))
      #expect(rounded >= exact * 0.99 && rounded <= exact * 1.1)
    }
  }

  @Test
  func `huge, tiny and hundreds of differences have a p-value`() throws {
    let huge = (1...40).map { _ in 1e200 } + [1e-300]
    // All 41 signs are equal; the tiny value does not move the sum.
    #expect(SignFlip.tail(huge) <= 0x1p-39 && SignFlip.tail(huge) > 0)
    let noise = PairedData.noise(5, 200)
    #expect((0.01...0.99).contains(SignFlip.tail(noise)))
    // A shift by 0.2 is 0.2 * sqrt(200) / 0.577 = 4.9 standard errors.
    #expect((1e-14...1e-2).contains(SignFlip.tail(noise.map { $0 + 0.2 })))
  }

  @Test
  func `thirty-two differences are enumerated completely`() throws {
    // All have one sign: 2 of 2^32 patterns.
    let result = try SignFlip.test((1...32).map(Double.init))
    #expect(result.method == .exact)
    #expect(result.p == 0x1p-31)
  }
}
