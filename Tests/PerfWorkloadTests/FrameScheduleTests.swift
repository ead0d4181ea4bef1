import Testing

@testable import PerfWorkload

@Suite struct FrameScheduleTests {
  /// Returns the slots of frames with the given costs at 100 Hz (T = 10 ms), both in milliseconds.
  private func slots(costs: [UInt64]) -> [UInt64] {
    var schedule = FrameSchedule(start: 5_000_000_000, milliHertz: 100_000)
    return costs.map { cost in
      defer { schedule.advance(cost: cost * 1_000_000) }
      return (schedule.slot - schedule.start) / 1_000_000
    }
  }

  // By hand: s_i is the first vsync at or after r_(i-1) = s_(i-1) + c_(i-1), and after s_(i-1).
  @Test(
    arguments: [
      ([35, 5, 5, 5], [0, 40, 50, 60]),
      ([15, 2, 15, 2], [0, 20, 30, 50]),
      ([18, 18, 1], [0, 20, 40]),
      ([0, 0, 0], [0, 10, 20]),
      ([10, 10, 10], [0, 10, 20]),
      ([20, 11, 1], [0, 20, 40]),
    ] as [([UInt64], [UInt64])])
  func `missed slots are skipped`(costs: [UInt64], expected: [UInt64]) {
    #expect(slots(costs: costs) == expected)
  }

  @Test func `rounding errors of vsyncs do not add up`() {
    let schedule = FrameSchedule(start: 7, milliHertz: 120_000)
    // floor(k * 10^9 / 120): 8,333,333.3; 16,666,666.7; 25,000,000.
    #expect(schedule.time(ofVsync: 1) == 7 + 8_333_333)
    #expect(schedule.time(ofVsync: 2) == 7 + 16_666_666)
    #expect(schedule.time(ofVsync: 3) == 7 + 25_000_000)
    // After a year at 120 Hz, k * 10^12 would need 72 bits.
    let year: UInt64 = 365 * 86_400
    #expect(schedule.time(ofVsync: year * 120) == 7 + year * 1_000_000_000)
  }

  @Test func `a fractional refresh rate keeps its grid`() {
    // At 59.94 Hz, 1,000 s contain 59,940 refreshes.
    let schedule = FrameSchedule(start: 0, milliHertz: 59_940)
    #expect(schedule.time(ofVsync: 59_940) == 1_000_000_000_000)
    #expect(schedule.time(ofVsync: 1) == 16_683_350)
  }

  @Test func `a cost that ends at a vsync uses that vsync and a longer cost the next`() {
    // floor(3 * 10^9 / 120) is 25,000,000 exactly; one nanosecond more misses it.
    for (cost, vsync) in [(24_999_999, 3), (25_000_000, 3), (25_000_001, 4)] as [(UInt64, UInt64)] {
      var schedule = FrameSchedule(start: 1, milliHertz: 120_000)
      schedule.advance(cost: cost)
      #expect(schedule.vsync == vsync)
    }
  }

  @Test func `the next slot after a frame of hours is found immediately`() {
    var schedule = FrameSchedule(start: 0, milliHertz: 1_000_000)
    schedule.advance(cost: 100 * 3600 * 1_000_000_000)
    #expect(schedule.vsync == 100 * 3600 * 1000)
  }
}
