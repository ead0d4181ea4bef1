import Testing

@testable import PerfStatistics

struct EffectSizeTests {
  @Test
  func `Cliff's delta is the excess of pairs with a larger second value`() throws {
    // 250 pairs, counted in Python: mean(sign(b - a)) = 0.656.
    #expect(
      isClose(
        try EffectSize.cliffsDelta(KolmogorovSmirnovTests.first, KolmogorovSmirnovTests.second),
        0.656))
    #expect(try EffectSize.cliffsDelta([1, 2], [3, 4]) == 1)
    #expect(try EffectSize.cliffsDelta([3, 4], [1, 2]) == -1)
    // (1, 1) and (2, 2) are ties; one pair is larger and one smaller.
    #expect(try EffectSize.cliffsDelta([1, 2], [1, 2]) == 0)
  }

  @Test
  func `Hedges' g is the bias-corrected standardised difference`() throws {
    // The means are 5 and 7.1; Python gives 1.1379753304155695 with the correction J(8) = 0.9027 of
    // Hedges 1981.
    let g = try #require(try EffectSize.hedgesG([3, 4, 5, 6, 7], [5, 6, 7, 8, 9.5]))
    #expect(isClose(g, 1.1379753304155695))
  }

  @Test
  func `Hedges' g is nil without variance and an error for one value`() throws {
    #expect(try EffectSize.hedgesG([1, 1], [2, 2]) == nil)
    #expect(throws: StatisticsError.self) { try EffectSize.hedgesG([1], [1, 2]) }
  }
}
