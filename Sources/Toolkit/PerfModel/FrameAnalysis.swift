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

  /// Analyses the intervals of one launch in the order of time.
  ///
  /// Intervals without frames are skipped.
  public init(_ intervals: [FrameMarks]) {
    var tally = Tally()
    for (number, marks) in intervals.enumerated() where !marks.frames.isEmpty {
      tally.add(marks, interval: number)
    }
    frames = tally.records
    metrics = tally.records.isEmpty ? [:] : tally.metrics
  }
}

/// The sums over the frames of all intervals.
private struct Tally {
  var records: [FrameRecord] = []
  /// The lateness of each wake-up after the later of its ideal slot and the previous frame, in ns.
  private var lateness: [Double] = []
  private var animated = 0.0
  private var janks = 0
  private var drops = 0
  private var missedMax = 0
  /// Hitch and animated time from real clock times, in nanoseconds.
  private var wall = (hitch: 0.0, animated: 0.0)

  /// Adds the frames of an interval; its vsyncs are counted from its first one.
  mutating func add(_ marks: FrameMarks, interval: Int) {
    let grid = marks.grid
    var (slot, presented, ready, previousEnd): (UInt64, UInt64, UInt64, UInt64) =
      (0, 0, grid.start, 0)
    /// The numbers of missed vsyncs in windows of 64.
    var windows: [UInt64: Int] = [:]
    for (position, frame) in marks.frames.enumerated() {
      if position > 0 { slot = max(grid.firstVsync(atOrAfter: ready), slot + 1) }
      let slotTime = grid.time(ofVsync: slot)
      let cost = frame.ended - frame.began
      ready = slotTime + cost
      let deadline = grid.time(ofVsync: slot + 1)
      let presents = max(grid.firstVsync(atOrAfter: ready), slot + 1)
      let missed = presents - presented > 1 ? presents - presented - 1 : 0
      let presentTime = grid.time(ofVsync: presents)
      records.append(
        FrameRecord(
          index: frame.index, interval: interval, slot: slotTime, began: frame.began, cost: cost,
          cpu: frame.cpu, overrun: Int64(ready) - Int64(deadline),
          hitch: missed == 0 ? 0 : presentTime - grid.time(ofVsync: presents - missed),
          missed: Int(missed)))
      // A frame misses the vsyncs just before the one that presents it.
      Self.count((presents - missed)..<presents, in: &windows)
      if Double(cost) > 2 * grid.period { janks += 1 }
      // The first frame of an interval has no presented predecessor, so it is never a drop.
      if position > 0, presentTime - grid.time(ofVsync: presented) > 10_000_000 { drops += 1 }
      if marks.isPaced {
        let due = max(slotTime, previousEnd)
        lateness.append(frame.woken > due ? Double(frame.woken - due) : 0)
        previousEnd = frame.ended
      }
      presented = presents
    }
    animated += Double(grid.time(ofVsync: presented) - grid.start)
    missedMax = max(missedMax, windows.values.max() ?? 0)
    if marks.isPaced { addWallTimes(of: marks) }
  }

  /// Counts each vsync in its window of 64.
  ///
  /// - Complexity: O(1); of the windows that the range covers as a whole, the first one stands for all.
  private static func count(_ vsyncs: Range<UInt64>, in windows: inout [UInt64: Int]) {
    guard let end = vsyncs.last else { return }
    let (first, last) = (vsyncs.lowerBound / 64, end / 64)
    guard first < last else {
      windows[first, default: 0] += vsyncs.count
      return
    }
    windows[first, default: 0] += Int((first + 1) * 64 - vsyncs.lowerBound)
    windows[last, default: 0] += Int(end - last * 64 + 1)
    if last - first > 1 { windows[first + 1] = 64 }
  }

  private mutating func addWallTimes(of marks: FrameMarks) {
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
    wall.hitch += hitches
    wall.animated += Double(grid.time(ofVsync: presented) - grid.start)
  }

  /// The metrics; there is at least one frame.
  var metrics: [String: Double] {
    let hitch = records.reduce(0.0) { $0 + Double($1.hitch) }
    var metrics = [
      MetricName.frameHitchTimeRatio: hitch / 1e6 / (animated / 1e9),
      MetricName.frameHitchCount: Double(records.count { $0.hitch > 0 }),
      MetricName.frameHitchMax: Double(records.map(\.hitch).max() ?? 0),
      MetricName.frameDropped: Double(records.reduce(0) { $0 + $1.missed }),
      MetricName.frameRate: Double(records.count) / (animated / 1e9),
      MetricName.frameCount: Double(records.count),
      MetricName.frameJankCount: Double(janks),
      MetricName.frameMissedMax64: Double(missedMax),
      MetricName.frameJankBudget: records.reduce(0) { $0 + Double(max($1.overrun, 0)) },
      MetricName.frameSeedDrops: Double(drops),
    ]
    if wall.animated > 0 {
      metrics[MetricName.frameHitchTimeRatioWall] = wall.hitch / 1e6 / (wall.animated / 1e9)
    }
    Self.addPercentiles(
      of: MetricName.frameOverrun, records.map { Double($0.overrun) }, to: &metrics)
    Self.addPercentiles(of: MetricName.frameCost, records.map { Double($0.cost) }, to: &metrics)
    Self.addPercentiles(of: MetricName.frameCPU, records.map { Double($0.cpu) }, to: &metrics)
    Self.addPercentiles([50, 99], of: MetricName.pacerLateness, lateness, to: &metrics)
    return metrics
  }

  private static func addPercentiles(
    _ percents: [Int] = [50, 90, 95, 99], of stem: String, _ values: [Double],
    to metrics: inout [String: Double]
  ) {
    let sorted = values.sorted()
    for percent in percents where !sorted.isEmpty {
      metrics[MetricName.percentile(percent, of: stem)] = quantile(
        ofSorted: sorted, Double(percent) / 100)
    }
  }

  /// Returns a quantile of type 7: linear interpolation at (n - 1) p (Hyndman and Fan 1996).
  private static func quantile(ofSorted sorted: [Double], _ probability: Double) -> Double {
    let position = Double(sorted.count - 1) * probability
    let lower = Int(position.rounded(.down))
    let upper = min(lower + 1, sorted.count - 1)
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
  }
}
