import Testing

@testable import PerfStatistics

struct CoreSignedRankTests {
  @Test
  func `a sample within the core is tested by signed ranks`() throws {
    // Evenly spread: no value is beyond four times the median distance.
    let values = PairedData.noise(14, 16).map { $0 + 0.4 }
    let core = try CoreSignedRank(values)
    #expect(try core.p(at: 0) == SignedRank.test(values).p)
    #expect(try core.estimate == HodgesLehmann.center(of: values).value)
    // 1 - 0.95 as a Double is a little more than 0.05.
    let interval = try #require(try HodgesLehmann.center(of: values).interval)
    #expect(core.interval(error: 0.05, holding: []) == interval)
  }

  @Test
  func `pairs in the slow state are outside of the core and have no rank`() throws {
    // Ten differences around 3, and two far away, one on each side.
    let together = (1...10).map { 2.5 + Double($0) / 10 }
    let core = try CoreSignedRank(together + [40, -36])
    // 0 is at distance 3 from most values, so 36 is beyond 4 * 3.
    #expect(core.p(at: 0) == 0x1p-9)
    #expect(isClose(core.estimate, 3.05))
    let interval = try #require(core.interval(error: 0.01, holding: [0]))
    #expect(interval.lowerBound > 2.5 && interval.upperBound < 3.5)
    // With their ranks p is 2 * P(T+ <= 11), and the interval nearly contains 0.
    #expect(try SignedRank.test(together + [40, -36]).p > 0.02)
  }

  @Test
  func `a centre with all values on one side is rejected for any spread`() throws {
    let values = [1.0, 1, 1, 1, 1, 1, 900, 1000, 1100, 1200, 1300]
    let core = try CoreSignedRank(values)
    #expect(core.p(at: 0) <= 0x1p-4 && core.p(at: 5000) == 0x1p-10)
    // More than half are equal to 1, so the core around 1 would be empty.
    #expect(core.p(at: 1) > 0)
  }

  @Test
  func `equal differences have an empty interval`() throws {
    let core = try CoreSignedRank([Double](repeating: 0.03, count: 11))
    #expect(core.interval(error: 0.001, holding: [0]) == 0.03...0.03)
    #expect(core.interval(error: 0.0009, holding: [0]) == nil)
  }

  @Test
  func `a centre that is not rejected is in the decisive interval`() throws {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<40 {
      // One value in four deviates by ten.
      let values = (0..<14).map { _ in
        generator.nextUniform() - 0.3 + (generator.nextUniform() < 0.25 ? 10 : 0)
          - (generator.nextUniform() < 0.25 ? 10 : 0)
      }
      let core = try CoreSignedRank(values)
      let interval = try #require(core.interval(error: 0.02, holding: [0]))
      if core.p(at: 0) > 0.02 { #expect(interval.contains(0)) }
      #expect(interval.contains(core.estimate))
    }
  }
}
