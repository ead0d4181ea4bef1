internal import PerfModel
internal import PerfProfile

/// Computes the metrics of a launch from its readings and marks.
struct MetricAssembler {
  /// The knowledge about one launch.
  struct Input {
    /// The readings.
    var record: LaunchRecord
    /// The marks; nil without an agent.
    var marks: Capture?
    /// The analysis of the frames.
    var frames: FrameAnalysis
    /// CPU time of the samplers in the process and in followed processes, in nanoseconds.
    var samplerCPU: UInt64
    /// Bytes of the capture segment mapped in the worker.
    var segmentBytes: UInt64
    /// The counters that the worker declares; other counters are series only.
    var declared: Set<String>
  }

  /// Returns the metrics by name in base units; unreadable metrics are absent.
  static func metrics(_ input: Input) -> [String: Double] {
    // Measured metrics override reported ones.
    var metrics = (input.record.completion?.counters ?? [:]).filter {
      $0.value.isFinite && input.declared.contains($0.key)
    }
    if let marks = input.marks { addMarks(marks, input, &metrics) }
    metrics.merge(input.frames.metrics) { _, own in own }
    time(input, &metrics)
    memory(input, &metrics)
    allocations(input, &metrics)
    kernel(input, &metrics)
    machine(input, &metrics)
    return metrics
  }

  private static func addMarks(
    _ marks: Capture, _ input: Input, _ metrics: inout [String: Double]
  ) {
    for name in [MetricName.startupInitialDisplay, MetricName.startupFullDisplay] {
      guard let event = marks.events.first(where: { $0.name == name }),
        event.time >= input.record.launched
      else { continue }
      metrics[name] = Double(event.time - input.record.launched)
    }
    // A value that the worker reports at the end overrides its marks.
    let last = Dictionary(marks.counters.map { ($0.name, $0.value) }) { _, later in later }
    metrics.merge(last.filter { input.declared.contains($0.key) }) { reported, _ in reported }
    let begins = marks.events.filter { $0.name == "reclaim.begin" }.map(\.time)
    let ends = marks.events.filter { $0.name == "reclaim.end" }.map(\.time)
    if !begins.isEmpty {
      let spans = zip(begins, ends)
      metrics[MetricName.pressureReclaimHitchTime] = input.frames.frames.reduce(0) { sum, frame in
        let isHit = spans.contains { $0 < frame.began + frame.cost && frame.began < $1 }
        return isHit ? sum + Double(frame.hitch) : sum
      }
    }
  }

  private static func time(_ input: Input, _ metrics: inout [String: Double]) {
    let record = input.record
    let ticker = Double(input.samplerCPU)
    if let (began, ended) = record.phaseUsage, ended.wall > began.wall, ended.cpu >= began.cpu {
      metrics[MetricName.wall] = Double(ended.wall - began.wall)
      let total = Double(ended.cpu - began.cpu) - ticker
      addCPU(
        total, user: Double(ended.user) - Double(began.user),
        system: Double(ended.system) - Double(began.system), &metrics)
    } else {
      metrics[MetricName.wall] = Double(record.ended - record.began)
      if let after = record.after?.cpu {
        let total = Double(after) - Double(record.before?.cpu ?? 0) - ticker
        if total > 0 { metrics[MetricName.cpuTotal] = total }
      }
    }
  }

  /// Adds CPU times; user and system times are sampled at ticks, so only their ratio is used.
  private static func addCPU(
    _ total: Double, user: Double, system: Double, _ metrics: inout [String: Double]
  ) {
    guard total > 0 else { return }
    metrics[MetricName.cpuTotal] = total
    let sum = user + system
    guard sum > 0, user >= 0, system >= 0 else { return }
    metrics[MetricName.cpuUser] = total * user / sum
    metrics[MetricName.cpuSystem] = total * system / sum
  }

  /// Adds the worker's counts of its measured phase, or the agent's counts of a whole command.
  private static func allocations(_ input: Input, _ metrics: inout [String: Double]) {
    guard let totals = input.marks?.allocations else { return }
    var counted: (count: UInt64, bytes: UInt64)? = (totals.count, totals.bytes)
    if let (began, ended) = input.record.phaseUsage {
      counted = nil
      if let first = began.allocations, let last = ended.allocations, last >= first,
        let before = began.allocated, let after = ended.allocated, after >= before
      {
        counted = (last - first, after - before)
      }
    }
    guard let counted else { return }
    metrics[MetricName.allocCount] = Double(counted.count)
    metrics[MetricName.allocBytes] = Double(counted.bytes)
  }

  private static func memory(_ input: Input, _ metrics: inout [String: Double]) {
    let withoutSegment = { (bytes: UInt64) in Double(bytes) - Double(input.segmentBytes) }
    let record = input.record
    if let after = record.after {
      if record.peakIsOfPhase, let peak = after.peakResident {
        // The kernel batches resident counters per CPU, so the peak can be below the present value.
        let highest = max(withoutSegment(peak), record.resident.values.max() ?? 0)
        if highest > 0 { metrics[MetricName.rssPeak] = highest }
      }
      if let resident = after.resident, withoutSegment(resident) > 0 {
        metrics[MetricName.rssEnd] = withoutSegment(resident)
      }
    }
    if let proportional = record.proportional { metrics[MetricName.pssEnd] = Double(proportional) }
    if let mean = timeWeightedMean(record.resident) { metrics[MetricName.rssMean] = mean }
  }

  /// Returns the time-weighted mean of a series, by trapezoids; nil for fewer than two readings.
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
    let record = input.record
    guard let after = record.after else { return }
    let before = record.before
    if let begin = record.mainDelay.before, let end = record.mainDelay.after, end >= begin,
      !input.frames.frames.isEmpty
    {
      metrics[MetricName.frameRunDelay] = Double(end - begin)
    }
    let parts: [(String, UInt64?, UInt64?)] = [
      (MetricName.faultsMinor, before?.minorFaults, after.minorFaults),
      (MetricName.faultsMajor, before?.majorFaults, after.majorFaults),
      (MetricName.switchesVoluntary, before?.voluntarySwitches, after.voluntarySwitches),
      (MetricName.switchesInvoluntary, before?.involuntarySwitches, after.involuntarySwitches),
      (MetricName.ioRead, before?.bytesRead, after.bytesRead),
      (MetricName.ioWrite, before?.bytesWritten, after.bytesWritten),
      (MetricName.runDelay, before?.runDelay, after.runDelay),
    ]
    for (name, begin, end) in parts {
      guard let end else { continue }
      let begin = before == nil ? 0 : begin
      // Threads that ended take their counts along, so a negative difference has no meaning.
      if let begin, end >= begin { metrics[name] = Double(end - begin) }
    }
    // Without a reading at the start, counting began with the launch.
    let began = record.read.before ?? record.launched
    if metrics[MetricName.runDelay] ?? metrics[MetricName.frameRunDelay] != nil,
      let ended = record.read.after, ended >= began
    {
      metrics[MetricName.runDelayWindow] = Double(ended - began)
    }
  }

  /// Adds disturbances by other programs and by the host.
  private static func machine(_ input: Input, _ metrics: inout [String: Double]) {
    if let pace = input.record.pace {
      metrics[MetricName.paceCPU] = Double(pace.steps)
      metrics[MetricName.paceLookups] = Double(pace.lookups)
    }
    let (before, after) = input.record.machine
    let parts: [(String, UInt64?, UInt64?)] = [
      (MetricName.psiCPU, before.stalledForCPU, after.stalledForCPU),
      (MetricName.psiMemory, before.stalledForMemory, after.stalledForMemory),
      (MetricName.psiWindow, before.stallsRead, after.stallsRead),
      (MetricName.steal, before.stolen, after.stolen),
      (MetricName.stealWindow, before.ticked, after.ticked),
    ]
    for (name, begin, end) in parts {
      if let begin, let end, end >= begin { metrics[name] = Double(end - begin) }
    }
  }
}
