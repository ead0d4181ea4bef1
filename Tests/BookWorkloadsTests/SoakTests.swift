import Testing

@testable import BookWorkloads

@Suite struct `A trend` {
  @Test func `has the slope of the floor, whatever decoders take above it`() {
    var trend = SoakTrend()
    for step in 0..<200 {
      // 1,000 bytes a second from 1 MB on, read twenty times a second, and peaks in between.
      let peak = step.isMultiple(of: 3) ? 5_000_000 : 0
      trend.add(resident: 1_000_000 + step / 10 * 500 + peak, at: .milliseconds(50 * step))
    }
    #expect(abs(trend.memoryGrowth - 60_000) < 1)
  }

  @Test func `of what is filled in the first half only is flat`() {
    var trend = SoakTrend()
    for step in 0..<200 {
      trend.add(resident: 1_000_000 + min(step, 90) * 1_000, at: .milliseconds(50 * step))
    }
    #expect(trend.memoryGrowth == 0)
  }

  @Test func `of one reading is none`() {
    var trend = SoakTrend()
    #expect(trend.memoryGrowth == 0)
    trend.add(resident: 1, at: .zero)
    #expect(trend.memoryGrowth == 0)
    #expect(trend.p99Drift == 0)
  }

  @Test func `of frames compares the last quarter with the second`() throws {
    var trend = SoakTrend()
    for index in 0..<400 {
      let cost = [9, 2, 3, 5][index / 100]
      try trend.add(frame: .milliseconds(cost), at: .milliseconds(8 * index))
    }
    #expect(trend.p99Drift == 3_000_000)
  }
}
