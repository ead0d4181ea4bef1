import Testing

@testable import PerfStatistics

struct CoreSignedRankTests {
  @Test
  func `pairs that lie together are tested as by signed ranks`() throws {
    // Evenly spread: no value lies beyond four times the median distance.
    let values = PairedData.noise(14, 16).map { $0 + 0.4 }
    let core = try CoreSignedRank(values)
    #expect(try core.p(at: 0) == SignedRank.test(values).p)
    #expect(try core.estimate == HodgesLehmann.center(of: values).value)
    // 1 - 0.95 as a Double is a little more than 0.05.
    let interval = try #require(try HodgesLehmann.center(of: values).interval)
    #expect(core.interval(error: 0.05, holding: []) == interval)
  }

  @Test
  func `pairs that met the slow state have no rank`() throws {
    // Ten differences around 3, and two far off, one on each side.
    let together = (1...10).map { 2.5 + Double($0) / 10 }
    let core = try CoreSignedRank(together + [40, -36])
    // 0 is 3 away from most, so 36 lies beyond 4 * 3.
    #expect(core.p(at: 0) == 0x1p-9)
    #expect(isClose(core.estimate, 3.05))
    let interval = try #require(core.interval(error: 0.01, holding: [0]))
    #expect(interval.lowerBound > 2.5 && interval.upperBound < 3.5)
    // With their ranks it is P(T+ <= 11) * 2, and the interval is open to 0 as good as.
    #expect(try SignedRank.test(together + [40, -36]).p > 0.02)
  }

  @Test
  func `whatever lies on one side is rejected, however it spreads`() throws {
    let values = [1.0, 1, 1, 1, 1, 1, 900, 1000, 1100, 1200, 1300]
    let core = try CoreSignedRank(values)
    #expect(core.p(at: 0) <= 0x1p-4 && core.p(at: 5000) == 0x1p-10)
    // More than half are equal to 1, so the core around 1 would be empty.
    #expect(core.p(at: 1) > 0)
  }

  @Test
  func `equal differences have an interval without width`() throws {
    let core = try CoreSignedRank([Double](repeating: 0.03, count: 11))
    #expect(core.interval(error: 0.001, holding: [0]) == 0.03...0.03)
    #expect(core.interval(error: 0.0009, holding: [0]) == nil)
  }

  @Test
  func `a centre that is not rejected lies in the interval that decides`() throws {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<40 {
      // One in four is off by ten.
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
