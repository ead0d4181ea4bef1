internal import PerfModel

/// Creates a launch of a sample run: frames from the real analysis, and metrics that fit them.
enum SampleLaunch {
  /// CLOCK_MONOTONIC of the first refresh of every launch, in nanoseconds.
  static let firstVsync: UInt64 = 81_000_000_000_000

  static func make(
    index: Int, isWarmup: Bool, status: Launch.Status, isNaive: Bool, fling: Int,
    random: inout SampleRandom
  ) -> Launch {
    let offset = UInt64(index) * 5_200_000_000
    guard status == .completed else {
      return Launch(
        index: index, isWarmup: isWarmup, status: status, offset: offset,
        series: [memory(until: 600_000_000, isNaive: isNaive, random: &random)])
    }
    // Some launches are slower throughout, as on a shared machine.
    let slowness = random.chance(0.2) ? 1.15 : random.around(1, spread: 0.03)
    let half = UInt64(fling) * 500_000
    var intervals: [FrameMarks] = []
    for (number, name) in ["fling.down", "fling.up"].enumerated() where fling > 0 {
      intervals.append(
        marks(
          name: name, start: firstVsync + UInt64(number) * (half + 250_000_000), length: half,
          firstIndex: intervals.first?.frames.count ?? 0, isNaive: isNaive, slowness: slowness,
          random: &random))
    }
    let analysis = FrameAnalysis(intervals)
    let length = max(UInt64(fling) * 1_000_000 + 250_000_000, 400_000_000)
    let resident = memory(until: length, isNaive: isNaive, random: &random)
    var metrics = analysis.metrics
    addMetrics(
      to: &metrics, length: length, resident: resident, isNaive: isNaive, slowness: slowness,
      random: &random)
    return Launch(
      index: index, isWarmup: isWarmup, status: .completed, offset: offset, metrics: metrics,
      series: fling == 0
        ? [] : [resident, processors(until: length, isNaive: isNaive, random: &random)],
      frames: analysis.frames, began: firstVsync, spans: isWarmup ? [] : spans(of: analysis.frames))
  }

  /// Returns two phases in each frame, and a signpost around every hundredth frame.
  private static func spans(of frames: [FrameRecord]) -> [Span] {
    frames.flatMap { frame -> [Span] in
      let began = frame.began - firstVsync
      let half = frame.cost / 2
      let phases = [
        Span(name: "layout", kind: .phase, serial: 1, began: began, duration: half),
        Span(name: "composite", kind: .phase, serial: 1, began: began + half, duration: half),
      ]
      guard frame.index % 100 == 0 else { return phases }
      return phases + [
        Span(name: "page", kind: .signpost, serial: 1, began: began, duration: frame.cost),
        Span(name: "turned", kind: .event, serial: 1, began: began + frame.cost, duration: 0),
      ]
    }
  }

  /// Simulates a paced loop: each frame waits for its refresh, wakes slightly late and works.
  private static func marks(
    name: String, start: UInt64, length: UInt64, firstIndex: Int, isNaive: Bool, slowness: Double,
    random: inout SampleRandom
  ) -> FrameMarks {
    let grid = FrameGrid(start: start, milliHertz: 120_000)
    var frames: [FrameMarks.Frame] = []
    var free = start
    while free < start + length {
      let vsync = grid.time(ofVsync: grid.firstVsync(atOrAfter: free))
      let woken = vsync + UInt64(random.around(120_000, spread: 90_000))
      let cost = UInt64(cost(isNaive: isNaive, random: &random) * slowness)
      let began = woken + 2_000
      let cpu = UInt64(Double(cost) * random.around(0.96, spread: 0.03))
      frames.append(
        .init(
          index: firstIndex + frames.count, woken: woken, began: began, ended: began + cost,
          cpu: cpu))
      free = began + cost
    }
    return FrameMarks(name: name, grid: grid, isPaced: true, frames: frames)
  }

  /// Returns nanoseconds of a frame's work: three full decodes if new rows appear, otherwise a
  /// blend.
  private static func cost(isNaive: Bool, random: inout SampleRandom) -> Double {
    if isNaive {
      return random.chance(0.7)
        ? random.around(46e6, spread: 18e6) : random.around(4.5e6, spread: 1.5e6)
    }
    return random.chance(0.004)
      ? random.around(9.4e6, spread: 0.8e6) : random.around(3.1e6, spread: 1.2e6)
  }

  private static func memory(until end: UInt64, isNaive: Bool, random: inout SampleRandom)
    -> TimeSeries
  {
    let times = stride(from: UInt64(0), to: end, by: 20_000_000).map { $0 }
    var pages = 11_000.0
    let values = times.map { _ in
      pages += isNaive ? random.around(420, spread: 400) : random.around(40, spread: 160)
      if !isNaive { pages = min(max(pages, 10_500), 27_000) }
      return pages.rounded() * 4096
    }
    return TimeSeries(name: "rss", dimension: .size, times: times, values: values)
  }

  private static func processors(until end: UInt64, isNaive: Bool, random: inout SampleRandom)
    -> TimeSeries
  {
    let times = stride(from: UInt64(20_000_000), to: end, by: 20_000_000).map { $0 }
    let values = times.map { _ in
      isNaive ? random.around(0.97, spread: 0.03) : random.around(0.7, spread: 0.3)
    }
    return TimeSeries(name: "cpu", dimension: .ratio, times: times, values: values)
  }

  private static func addMetrics(
    to metrics: inout [String: Double], length: UInt64, resident: TimeSeries, isNaive: Bool,
    slowness: Double, random: inout SampleRandom
  ) {
    let user = (isNaive ? 3.6e9 : 2.4e9) * slowness
    metrics["wall"] = Double(length) + random.around(5e6, spread: 4e6).rounded()
    metrics["cpu.user"] = user.rounded()
    metrics["cpu.system"] = (user * 0.06).rounded()
    metrics["cpu.total"] = user.rounded() + (user * 0.06).rounded()
    metrics["rss.peak"] = resident.values.max() ?? 0
    metrics["rss.mean"] =
      (resident.values.reduce(0, +) / Double(max(resident.values.count, 1))).rounded()
    metrics["rss.end"] = resident.values.last ?? 0
    metrics["faults.minor"] = random.around(isNaive ? 61_000 : 17_000, spread: 900).rounded()
    metrics["faults.major"] = 0
    metrics["switches.voluntary"] = random.around(1900, spread: 150).rounded()
    metrics["switches.involuntary"] = random.around(240, spread: 120).rounded()
    let hits = isNaive ? 1100.0 : 2790.0
    let misses = isNaive ? 1900.0 : 210.0
    metrics["cache.hits"] = hits
    metrics["cache.misses"] = misses
    metrics["cache.hit_ratio"] = hits / (hits + misses)
    metrics["cache.evictions"] = isNaive ? 0 : 1430
  }
}
