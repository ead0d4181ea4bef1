import Testing

@testable import BookWorkloads

struct SoakTrendTests {
  @Test func `memory growth ignores the temporary memory of decoders`() {
    var trend = SoakTrend()
    for step in 0..<200 {
      // 1,000 bytes per second from 1 MB, read twenty times per second, with peaks in between.
      let peak = step.isMultiple(of: 3) ? 5_000_000 : 0
      trend.add(resident: 1_000_000 + step / 10 * 500 + peak, at: .milliseconds(50 * step))
    }
    #expect(abs(trend.memoryGrowth - 60_000) < 1)
  }

  @Test func `memory that grows only in the first half has no trend`() {
    var trend = SoakTrend()
    for step in 0..<200 {
      trend.add(resident: 1_000_000 + min(step, 90) * 1_000, at: .milliseconds(50 * step))
    }
    #expect(trend.memoryGrowth == 0)
  }

  @Test func `a single reading has no trend`() {
    var trend = SoakTrend()
    #expect(trend.memoryGrowth == 0)
    trend.add(resident: 1, at: .zero)
    #expect(trend.memoryGrowth == 0)
    #expect(trend.p99Drift == 0)
  }

  @Test func `the frame trend compares the last quarter with the second`() throws {
    var trend = SoakTrend()
    for index in 0..<400 {
      let cost = [9, 2, 3, 5][index / 100]
      try trend.add(frame: .milliseconds(cost), at: .milliseconds(8 * index))
    }
    #expect(trend.p99Drift == 3_000_000)
  }
}
