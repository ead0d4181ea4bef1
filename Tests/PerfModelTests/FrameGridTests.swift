import PerfModel
import PerfTestSupport
import Testing

struct FrameGridTests {
  /// Returns floor(k * 10^12 / milliHertz), computed in 128 bits.
  private static func exact(_ k: UInt64, _ milliHertz: UInt64) -> UInt64 {
    let product = k.multipliedFullWidth(by: 1_000_000_000_000)
    return milliHertz.dividingFullWidth(product).quotient
  }

  @Test func `vsyncs at 120 Hz have the expected times`() {
    let grid = FrameGrid(start: 1000, milliHertz: 120_000)
    // 10^9 / 120 = 8,333,333.33...
    #expect(
      (0...4).map { grid.time(ofVsync: $0) } == [
        1000, 8_334_333, 16_667_666, 25_001_000, 33_334_333,
      ])
  }

  @Test func `rounding does not accumulate over days`() {
    let grid = FrameGrid(start: 0, milliHertz: 120_000)
    let day: UInt64 = 86_400
    #expect(grid.time(ofVsync: 120 * day * 365) == day * 365 * 1_000_000_000)
    // One vsync after 30 days.
    #expect(grid.time(ofVsync: 120 * day * 30 + 1) == day * 30 * 1_000_000_000 + 8_333_333)
  }

  @Test(
    arguments: [1000, 23_976, 59_940, 60_000, 90_000, 119_880, 120_000, 144_000, 1_000_000]
      as [UInt64])
  func `vsync times are exact and map back to their numbers`(milliHertz: UInt64) {
    let grid = FrameGrid(start: 0, milliHertz: milliHertz)
    var random = SampleRandom(seed: milliHertz)
    // 31,536,000 seconds of a year, by refreshes per thousand seconds.
    let year = 31_536 * milliHertz
    let picks = (0..<500).map { _ -> UInt64 in random.next() % year }
    let corners: [UInt64] = [0, 1, 2, milliHertz - 1, milliHertz, milliHertz + 1]
    for k in corners + picks {
      let time = grid.time(ofVsync: k)
      #expect(time == Self.exact(k, milliHertz))
      #expect(grid.firstVsync(atOrAfter: time) == k)
      #expect(grid.firstVsync(atOrAfter: time + 1) == k + 1)
      if k > 0 { #expect(grid.firstVsync(atOrAfter: time - 1) == k) }
    }
  }

  @Test func `times before the start map to the first vsync`() {
    let grid = FrameGrid(start: 500, milliHertz: 60_000)
    #expect(grid.firstVsync(atOrAfter: 0) == 0)
    #expect(grid.firstVsync(atOrAfter: 500) == 0)
    #expect(grid.firstVsync(atOrAfter: 501) == 1)
  }

  @Test func `the refresh period is not rounded`() {
    #expect(FrameGrid(start: 0, milliHertz: 100_000).period == 10_000_000)
    #expect(abs(FrameGrid(start: 0, milliHertz: 120_000).period - 8_333_333.333) < 0.001)
  }
}
