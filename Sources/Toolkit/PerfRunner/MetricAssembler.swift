internal import PerfModel

/// Turns what was read around a measured phase into metrics.
struct MetricAssembler {
  /// What the harness knows of one launch.
  struct Input {
    /// Readings before the measured phase; nil when it is measured from its start.
    var before: ProcessReadings?
    /// Readings after it; nil when the process had gone by then.
    var after: ProcessReadings?
    /// CLOCK_MONOTONIC of begin and end as the harness saw them.
    var began: UInt64
    var ended: UInt64
    /// The worker's own clocks, which are nearer to the work.
    var usage: (began: WorkerMessage.Usage, ended: WorkerMessage.Usage)?
    /// Proportional memory at the end.
    var proportional: UInt64?
    /// CPU time of the sampler's thread while measuring.
    var tickerCPU: UInt64
    /// Bytes of the capture segment that are mapped in the worker.
    var segmentBytes: UInt64
    /// Whether VmHWM was reset at the begin.
    var peakIsOfPhase: Bool
    /// Resident bytes over time, the segment taken off.
    var resident: TimeSeries
    /// Final counters of the worker that its hello declares.
    var counters: [String: Double]
    /// Frames.
    var frames: FrameAnalysis
    /// Hitch time of frames made while memory was reclaimed, or nil.
    var reclaimHitch: Double?
    /// Start-up events by metric name, CLOCK_MONOTONIC.
    var startup: [String: UInt64]
    /// When the process was started.
    var launched: UInt64
  }

  /// Returns the metrics by name, in base units; what could not be read is absent.
  static func metrics(_ input: Input) -> [String: Double] {
    var metrics = input.frames.metrics
    time(input, &metrics)
    memory(input, &metrics)
    kernel(input, &metrics)
    for (name, moment) in input.startup where moment >= input.launched {
      metrics[name] = Double(moment - input.launched)
    }
    if let hitch = input.reclaimHitch { metrics["pressure.reclaim_hitch_time"] = hitch }
    metrics.merge(input.counters) { own, _ in own }
    return metrics
  }

  private static func time(_ input: Input, _ metrics: inout [String: Double]) {
    if let (began, ended) = input.usage, ended.wall > began.wall, ended.cpu >= began.cpu {
      metrics["wall"] = Double(ended.wall - began.wall)
      let total = Double(ended.cpu - began.cpu) - Double(input.tickerCPU)
      addCPU(
        total, user: Double(ended.user) - Double(began.user),
        system: Double(ended.system) - Double(began.system), &metrics)
    } else {
      metrics["wall"] = Double(input.ended - input.began)
      if let after = input.after?.cpu {
        let total = Double(after) - Double(input.before?.cpu ?? 0) - Double(input.tickerCPU)
        if total > 0 { metrics["cpu.total"] = total }
      }
    }
  }

  /// The kernel's user and system times are sampled at ticks; only their ratio is used.
  private static func addCPU(
    _ total: Double, user: Double, system: Double, _ metrics: inout [String: Double]
  ) {
    guard total > 0 else { return }
    metrics["cpu.total"] = total
    let sum = user + system
    guard sum > 0, user >= 0, system >= 0 else { return }
    metrics["cpu.user"] = total * user / sum
    metrics["cpu.system"] = total * system / sum
  }

  private static func memory(_ input: Input, _ metrics: inout [String: Double]) {
    let withoutSegment = { (bytes: UInt64) in Double(bytes) - Double(input.segmentBytes) }
    if let after = input.after {
      if input.peakIsOfPhase, let peak = after.peakResident {
        // The kernel batches resident counters per CPU, so the peak can read below the present.
        let highest = max(withoutSegment(peak), input.resident.values.max() ?? 0)
        if highest > 0 { metrics["rss.peak"] = highest }
      }
      if let resident = after.resident, withoutSegment(resident) > 0 {
        metrics["rss.end"] = withoutSegment(resident)
      }
    }
    if let proportional = input.proportional { metrics["pss.end"] = Double(proportional) }
    if let mean = timeWeightedMean(input.resident) { metrics["rss.mean"] = mean }
  }

  /// The mean over time of a series, by trapezoids; nil below two readings.
  static func timeWeightedMean(_ series: TimeSeries) -> Double? {
    guard let first = series.times.first, let last = series.times.last, last > first else {
      return nil
    }
    var area = 0.0
    for index in 1..<series.times.count {
      let width = Double(series.times[index] - series.times[index - 1])
      area += width * (series.values[index] + series.values[index - 1]) / 2
    }
    return area / Double(last - first)
  }

  private static func kernel(_ input: Input, _ metrics: inout [String: Double]) {
    guard let after = input.after else { return }
    let before = input.before
    let parts: [(String, UInt64?, UInt64?)] = [
      ("faults.minor", before?.minorFaults, after.minorFaults),
      ("faults.major", before?.majorFaults, after.majorFaults),
      ("switches.voluntary", before?.voluntarySwitches, after.voluntarySwitches),
      ("switches.involuntary", before?.involuntarySwitches, after.involuntarySwitches),
      ("io.read", before?.bytesRead, after.bytesRead),
      ("io.write", before?.bytesWritten, after.bytesWritten),
      ("run_delay", before?.runDelay, after.runDelay),
    ]
    for (name, begin, end) in parts {
      guard let end else { continue }
      let begin = before == nil ? 0 : begin
      // Threads that ended in between take their counts along; a negative difference says nothing.
      if let begin, end >= begin { metrics[name] = Double(end - begin) }
    }
    if let begin = before?.stalledForCPU, let end = after.stalledForCPU, end >= begin {
      metrics["psi.cpu"] = Double(end - begin)
    }
    if let begin = before?.stalledForMemory, let end = after.stalledForMemory, end >= begin {
      metrics["psi.memory"] = Double(end - begin)
    }
  }
}
