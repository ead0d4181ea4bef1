/// The analysis of all frames of a launch, and the resulting metrics.
///
/// A frame is analysed from its ideal slot and its measured cost, so that late wake-ups on a shared
/// machine are not hitches. With period T and vsyncs v_k: s_0 is the first vsync; s_i is the first
/// vsync at or after r_(i-1) and later than s_(i-1); r_i = s_i + c_i with cost c_i; the deadline
/// d_i is the vsync after s_i; overrun_i = r_i - d_i; present_i is the first vsync at or after r_i
/// and later than s_i. The hitch time of a frame is present_i - present_(i-1) - T in whole vsyncs,
/// if positive; each interval starts again with present_(-1) = s_0.
public struct FrameAnalysis: Sendable {
  /// The results of the frames, in order.
  public let frames: [FrameRecord]
  /// Metric values in base units by name; empty without frames.
  public let metrics: [String: Double]

  /// Analyses the intervals of one launch.
  ///
  /// - Parameter intervals: The intervals by time; intervals without frames are skipped.
  /// - Complexity: O(*n* log *n*) in the number of frames.
  public init(_ intervals: [FrameMarks]) {
    var fates: [Fate] = []
    var wallHitches = 0.0
    var wallAnimated = 0.0
    var spans: [(frames: Range<Int>, vsyncs: UInt64, marks: FrameMarks)] = []
    for (number, marks) in intervals.enumerated() where !marks.frames.isEmpty {
      let first = fates.count
      let vsyncs = Self.appendFates(of: marks, interval: number, to: &fates)
      spans.append((first..<fates.count, vsyncs, marks))
      let wall = Self.wallHitchTime(of: marks)
      wallHitches += wall.hitch
      wallAnimated += wall.animated
    }
    frames = fates.map(\.record)
    guard !fates.isEmpty else {
      metrics = [:]
      return
    }
    var metrics = Self.hitchMetrics(fates, spans: spans)
    if wallAnimated > 0 {
      metrics[MetricName.frameHitchTimeRatioWall] = wallHitches / 1e6 / (wallAnimated / 1e9)
    }
    Self.addPercentiles(MetricName.frameOverrun, frames.map { Double($0.overrun) }, to: &metrics)
    Self.addPercentiles(MetricName.frameCost, frames.map { Double($0.cost) }, to: &metrics)
    Self.addPercentiles(MetricName.frameCPU, frames.map { Double($0.cpu) }, to: &metrics)
    let lateness = Self.wakeLateness(intervals)
    if !lateness.isEmpty {
      metrics[MetricName.percentile(50, of: MetricName.pacerLateness)] = Self.quantile(
        lateness, 0.50)
      metrics[MetricName.percentile(99, of: MetricName.pacerLateness)] = Self.quantile(
        lateness, 0.99)
    }
    self.metrics = metrics
  }

  /// A record with vsync numbers, counted from the first vsync of its interval.
  private struct Fate {
    let record: FrameRecord
    let presentedAt: UInt64
    let presentTime: UInt64
    let previousPresentTime: UInt64
    let jankBudget: Double
    let isJank: Bool
  }

  /// Returns the number of the last presented vsync: the animated time of the interval in vsyncs.
  private static func appendFates(
    of marks: FrameMarks, interval: Int, to fates: inout [Fate]
  ) -> UInt64 {
    let grid = marks.grid
    var slot: UInt64 = 0
    var presented: UInt64 = 0
    var ready = grid.start
    for (position, frame) in marks.frames.enumerated() {
      if position > 0 { slot = max(grid.firstVsync(atOrAfter: ready), slot + 1) }
      let slotTime = grid.time(ofVsync: slot)
      let cost = frame.ended - frame.began
      ready = slotTime + cost
      let deadline = grid.time(ofVsync: slot + 1)
      let presents = max(grid.firstVsync(atOrAfter: ready), slot + 1)
      let missed = presents - presented > 1 ? presents - presented - 1 : 0
      let hitch =
        missed == 0 ? 0 : grid.time(ofVsync: presents) - grid.time(ofVsync: presents - missed)
      let overrun = Int64(ready) - Int64(deadline)
      fates.append(
        Fate(
          record: FrameRecord(
            index: frame.index, interval: interval, slot: slotTime, began: frame.began, cost: cost,
            cpu: frame.cpu, overrun: overrun, hitch: hitch, missed: Int(missed)),
          presentedAt: presents,
          presentTime: grid.time(ofVsync: presents),
          previousPresentTime: grid.time(ofVsync: presented),
          jankBudget: overrun > 0 ? Double(overrun) : 0,
          isJank: Double(cost) > 2 * grid.period))
      presented = presents
    }
    return presented
  }

  private static func hitchMetrics(
    _ fates: [Fate], spans: [(frames: Range<Int>, vsyncs: UInt64, marks: FrameMarks)]
  ) -> [String: Double] {
    let records = fates.map(\.record)
    let hitch = records.reduce(0.0) { $0 + Double($1.hitch) }
    let animated = spans.reduce(0.0) { sum, span in
      sum + Double(span.marks.grid.time(ofVsync: span.vsyncs) - span.marks.grid.start)
    }
    var missedMax = 0
    for span in spans {
      var windows: [UInt64: Int] = [:]
      for fate in fates[span.frames] where fate.record.missed > 0 {
        // The missed vsyncs precede the presenting vsync; each counts in its own window.
        for vsync in (fate.presentedAt - UInt64(fate.record.missed))..<fate.presentedAt {
          windows[vsync / 64, default: 0] += 1
        }
      }
      missedMax = max(missedMax, windows.values.max() ?? 0)
    }
    // The first frame of an interval has no presented predecessor, so it is never a drop.
    let drops = spans.reduce(0) { sum, span in
      sum
        + fates[span.frames].dropFirst().count {
          $0.presentTime - $0.previousPresentTime > 10_000_000
        }
    }
    return [
      MetricName.frameHitchTimeRatio: hitch / 1e6 / (animated / 1e9),
      MetricName.frameHitchCount: Double(records.count { $0.hitch > 0 }),
      MetricName.frameHitchMax: Double(records.map(\.hitch).max() ?? 0),
      MetricName.frameDropped: Double(records.reduce(0) { $0 + $1.missed }),
      MetricName.frameRate: Double(records.count) / (animated / 1e9),
      MetricName.frameCount: Double(records.count),
      MetricName.frameJankCount: Double(fates.count(where: \.isJank)),
      MetricName.frameMissedMax64: Double(missedMax),
      MetricName.frameJankBudget: fates.reduce(0) { $0 + $1.jankBudget },
      MetricName.frameSeedDrops: Double(drops),
    ]
  }

  /// Returns hitch and animated time from real clock times, in nanoseconds.
  private static func wallHitchTime(of marks: FrameMarks) -> (hitch: Double, animated: Double) {
    guard marks.isPaced else { return (0, 0) }
    let grid = marks.grid
    var presented: UInt64 = 0
    var hitches = 0.0
    for frame in marks.frames {
      let presents = max(grid.firstVsync(atOrAfter: frame.ended), presented + 1)
      if presents - presented > 1 {
        hitches += Double(grid.time(ofVsync: presents) - grid.time(ofVsync: presented + 1))
      }
      presented = presents
    }
    return (hitches, Double(grid.time(ofVsync: presented) - grid.start))
  }

  /// Returns the delay of each wake-up after the later of its ideal slot and the previous frame, in
  /// ns.
  private static func wakeLateness(_ intervals: [FrameMarks]) -> [Double] {
    intervals.filter(\.isPaced).flatMap { marks -> [Double] in
      var slot: UInt64 = 0
      var ready = marks.grid.start
      var previousEnd: UInt64 = 0
      return marks.frames.enumerated().map { position, frame in
        if position > 0 { slot = max(marks.grid.firstVsync(atOrAfter: ready), slot + 1) }
        let slotTime = marks.grid.time(ofVsync: slot)
        ready = slotTime + (frame.ended - frame.began)
        let due = max(slotTime, previousEnd)
        previousEnd = frame.ended
        return frame.woken > due ? Double(frame.woken - due) : 0
      }
    }
  }

  private static func addPercentiles(
    _ stem: String, _ values: [Double], to metrics: inout [String: Double]
  ) {
    let sorted = values.sorted()
    for percent in [50, 90, 95, 99] {
      metrics[MetricName.percentile(percent, of: stem)] = quantile(
        ofSorted: sorted, Double(percent) / 100)
    }
  }

  private static func quantile(_ values: [Double], _ probability: Double) -> Double {
    quantile(ofSorted: values.sorted(), probability)
  }

  /// Returns a quantile of type 7: linear interpolation at (n - 1) p (Hyndman and Fan 1996).
  private static func quantile(ofSorted sorted: [Double], _ probability: Double) -> Double {
    let position = Double(sorted.count - 1) * probability
    let lower = Int(position.rounded(.down))
    let upper = min(lower + 1, sorted.count - 1)
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
  }
}
