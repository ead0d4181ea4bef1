import PerfModel
import Testing

/// Examples computed by hand, mostly at 100 Hz: a refresh every 10 ms.
struct FrameAnalysisTests {
  private static let millisecond: UInt64 = 1_000_000

  @Test func `a frame that takes a month is analysed at once`() {
    // 30 days at 100 Hz: the frame is presented at refresh 259,200,000, and misses all but the first.
    let month = 30 * 24 * 3600.0 * 1000
    let metrics = FrameAnalysis([Self.interval([month])]).metrics
    #expect(metrics[MetricName.frameDropped] == 259_199_999)
    #expect(metrics[MetricName.frameMissedMax64] == 64)
  }

  /// Returns an interval of frames with costs in milliseconds, each with a punctual wake-up.
  private static func interval(
    _ costs: [Double], start: UInt64 = 5_000_000_000, milliHertz: UInt64 = 100_000,
    lateness: [Double] = [], isPaced: Bool = true
  ) -> FrameMarks {
    let grid = FrameGrid(start: start, milliHertz: milliHertz)
    var frames: [FrameMarks.Frame] = []
    var slot: UInt64 = 0
    var ready = start
    var end: UInt64 = 0
    for (index, cost) in costs.enumerated() {
      if index > 0 { slot = max(grid.firstVsync(atOrAfter: ready), slot + 1) }
      let nanoseconds = UInt64(cost * 1e6)
      ready = grid.time(ofVsync: slot) + nanoseconds
      let late = index < lateness.count ? UInt64(lateness[index] * 1e6) : 0
      let woken = max(grid.time(ofVsync: slot), end) + late
      end = woken + nanoseconds
      frames.append(
        .init(index: index, woken: woken, began: woken, ended: end, cpu: nanoseconds / 2))
    }
    return FrameMarks(name: "fling", grid: grid, isPaced: isPaced, frames: frames)
  }

  private static func hitches(_ analysis: FrameAnalysis) -> [UInt64] {
    analysis.frames.map { $0.hitch / millisecond }
  }

  // The first three are the examples of the definition.
  @Test(
    arguments: [
      ([35, 5, 5, 5], [30, 0, 0, 0]),
      ([15, 2, 15, 2], [10, 0, 10, 0]),
      ([18, 18], [10, 10]),
      ([5, 5, 5], [0, 0, 0]),
      // A frame that is ready exactly at its refresh is in time; a nanosecond later it is late.
      ([10, 10], [0, 0]), ([10.000001, 10], [10, 0]),
      // The frame from 0 is ready at 20 and presented at 20: one missed refresh. The next slot is
      // 20.
      ([20, 10], [10, 0]),
      // A frame without work takes one refresh.
      ([0, 0, 0], [0, 0, 0]),
      // 95 ms: presented at vsync 10, nine missed; then 25: from 100 to 125, presented at 130.
      ([95, 25], [90, 20]),
    ] as [([Double], [UInt64])])
  func `hitches are whole refreshes of late frames`(costs: [Double], hitches: [UInt64]) {
    let analysis = FrameAnalysis([Self.interval(costs)])
    #expect(Self.hitches(analysis) == hitches)
    #expect(analysis.frames.map { UInt64($0.missed) * 10 } == hitches)
  }

  @Test func `one long frame has the expected metrics`() {
    // 35, 5, 5, 5: presented at 40, 50, 60, 70; animated 70 ms; one hitch of 30 ms.
    let metrics = FrameAnalysis([Self.interval([35, 5, 5, 5])]).metrics
    #expect(metrics["frame.hitch_time_ratio"] == 30 / 0.070)
    #expect(metrics["frame.hitch_count"] == 1)
    #expect(metrics["frame.hitch_max"] == 30e6)
    #expect(metrics["frame.dropped"] == 3)
    #expect(metrics["frame.count"] == 4)
    #expect(metrics["frame.rate"] == 4 / 0.070)
    // Only 35 > 2 x 10.
    #expect(metrics["frame.jank_count"] == 1)
    // 35 ms must become 10 ms.
    #expect(metrics["frame.jank_budget"] == 25e6)
    // Refreshes 1, 2 and 3 of the first window.
    #expect(metrics["frame.missed_max_64"] == 3)
    // The first frame has no predecessor; the other gaps are 10 ms.
    #expect(metrics["frame.seed_drops"] == 0)
    // Overruns 25, -5, -5, -5 ms: the median is -5; p90 is at 2.7 of 0...3, so -5 + 0.7 x 30.
    #expect(metrics["frame.overrun.p50"] == -5e6)
    #expect(abs((metrics["frame.overrun.p90"] ?? 0) - 16e6) < 1)
    #expect(metrics["frame.cost.p50"] == 5e6)
    #expect(metrics["frame.cpu.p50"] == 2.5e6)
  }

  @Test func `overruns are signed and do not accumulate`() {
    // A frame's deadline is one refresh after its own slot, whatever happened before.
    let analysis = FrameAnalysis([Self.interval([35, 5, 12, 10])])
    #expect(analysis.frames.map { $0.overrun / 1_000_000 } == [25, -5, 2, 0])
  }

  @Test func `a late frame skips slots that later frames do not make up`() {
    let analysis = FrameAnalysis([Self.interval([35, 5, 5])])
    let slots = analysis.frames.map { ($0.slot - 5_000_000_000) / Self.millisecond }
    #expect(slots == [0, 40, 50])
  }

  @Test func `each interval starts again and idle time does not count`() {
    let first = Self.interval([35, 5])
    // The second interval begins ten seconds later.
    let second = Self.interval([15, 5, 5], start: 15_000_000_000)
    let analysis = FrameAnalysis([first, second])
    #expect(Self.hitches(analysis) == [30, 0, 10, 0, 0])
    #expect(analysis.frames.map(\.interval) == [0, 0, 1, 1, 1])
    // Animated: to 50 ms and to 40 ms.
    #expect(analysis.metrics["frame.hitch_time_ratio"] == 40 / 0.090)
    #expect(abs((analysis.metrics["frame.rate"] ?? 0) - 5 / 0.090) < 1e-9)
    #expect(analysis.metrics["frame.missed_max_64"] == 3)
  }

  @Test func `an interval without frames is skipped but numbered`() {
    let analysis = FrameAnalysis([Self.interval([]), Self.interval([5]), Self.interval([])])
    #expect(analysis.frames.map(\.interval) == [1])
    #expect(analysis.metrics["frame.count"] == 1)
  }

  @Test func `an analysis without frames has no metrics`() {
    #expect(FrameAnalysis([]).metrics.isEmpty)
    #expect(FrameAnalysis([Self.interval([])]).metrics.isEmpty)
    #expect(FrameAnalysis([]).frames.isEmpty)
  }

  @Test func `intervals of different refresh rates use their own periods`() {
    // 60 Hz: 17 ms is over 16.67, so presented at 33.33: one missed of 16.67 ms. At 100 Hz: 9 ms.
    let slow = Self.interval([17, 5], milliHertz: 60_000)
    let fast = Self.interval([9, 9], start: 9_000_000_000)
    let analysis = FrameAnalysis([slow, fast])
    #expect(analysis.frames.map(\.hitch) == [16_666_667, 0, 0, 0])
    // Animated: 50 ms (33.3 and the next refresh at 50) and 20 ms.
    let ratio = analysis.metrics["frame.hitch_time_ratio"] ?? 0
    #expect(abs(ratio - 16.666667 / 0.070) < 1e-6)
  }

  @Test func `missed refreshes are counted in fixed windows of 64`() {
    // 600 ms: presented at vsync 60, refreshes 1 to 59 missed. Then 100 ms from 60 to 70:
    // refreshes 61, 62, 63 fall into the first window, 62 in all, and 64 to 69 into the second.
    let analysis = FrameAnalysis([Self.interval([600, 100])])
    #expect(analysis.frames.map(\.missed) == [59, 9])
    #expect(analysis.metrics["frame.missed_max_64"] == 62)
    // 1,500 ms: refreshes 1 to 149, so all 64 of the window from 64 to 127.
    #expect(FrameAnalysis([Self.interval([1500])]).metrics["frame.missed_max_64"] == 64)
  }

  @Test func `late wake-ups change only the wall ratio and the lateness`() {
    // The second frame wakes 4 ms late and works 8 ms: ready at 22 by the clock, not at 18.
    let late = Self.interval([5, 8, 5], lateness: [0, 4, 0])
    let analysis = FrameAnalysis([late])
    #expect(Self.hitches(analysis) == [0, 0, 0])
    #expect(analysis.metrics["frame.hitch_time_ratio"] == 0)
    // By the clock it is presented at 30 rather than 20: 10 ms of hitch. The third frame's slot is
    // 20; it wakes at 22, when the second ends, ends at 27 and is presented after it, at 40.
    #expect(analysis.metrics["frame.hitch_time_ratio.wall"] == 10 / 0.040)
    // Lateness: 0, 4 and 0 ms (the third could not wake before the second had ended).
    #expect(analysis.metrics["pacer.lateness.p50"] == 0)
    // p99 of three is at 1.98: 0 + 0.98 x 4 ms.
    #expect(abs((analysis.metrics["pacer.lateness.p99"] ?? 0) - 3.92e6) < 1)
  }

  @Test func `unpaced intervals have neither wall ratio nor lateness`() {
    let metrics = FrameAnalysis([Self.interval([5, 15], isPaced: false)]).metrics
    #expect(metrics["frame.hitch_time_ratio.wall"] == nil)
    #expect(metrics["pacer.lateness.p50"] == nil)
    #expect(metrics["frame.hitch_count"] == 1)
  }

  @Test func `the case study's drops are gaps of more than 10 ms`() {
    // At 120 Hz a gap of 8.33 ms is no drop and a gap of 16.67 ms is one; the first frame is none.
    let fast = Self.interval([12, 5, 12, 5], milliHertz: 120_000)
    #expect(FrameAnalysis([fast]).metrics["frame.seed_drops"] == 1)
    // At 60 Hz every gap is 16.67 ms.
    let slow = Self.interval([5, 5, 5, 5], milliHertz: 60_000)
    #expect(FrameAnalysis([slow]).metrics["frame.seed_drops"] == 3)
  }

  @Test func `a frame that costs more than two periods is jank`() {
    let metrics = FrameAnalysis([Self.interval([20, 20.000001, 30])]).metrics
    #expect(metrics["frame.jank_count"] == 2)
    #expect(metrics["frame.jank_budget"] == 40_000_001)
  }

  @Test func `reducing the costs by the jank budget leaves no hitch`() {
    let costs: [Double] = [35, 5, 12, 18, 3, 11, 27]
    let capped = costs.map { min($0, 10) }
    let budget = zip(costs, capped).reduce(0) { $0 + $1.0 - $1.1 }
    #expect(
      FrameAnalysis([Self.interval(costs)]).metrics["frame.jank_budget"] == budget * 1e6)
    #expect(FrameAnalysis([Self.interval(capped)]).metrics["frame.hitch_time_ratio"] == 0)
  }

  @Test func `every metric of the analysis is defined`() {
    let metrics = FrameAnalysis([Self.interval([5, 15])]).metrics
    #expect(metrics.count > 20)
    for name in metrics.keys {
      #expect(MetricCatalog.standard[name] != nil, "\(name)")
    }
  }
}
