internal import PerfModel
internal import PerfProfile

/// Computes the metrics of a launch from its readings and marks.
struct MetricAssembler {
  let record: LaunchRecord
  /// The marks; nil without an agent.
  let marks: Capture?
  let frames: FrameAnalysis
  /// CPU time of the samplers in the process and in followed processes, in nanoseconds.
  let samplerCPU: Double
  /// Bytes of the capture segment mapped in the worker.
  let segmentBytes: UInt64
  /// The counters that the worker declares; other counters are series only.
  let declared: Set<String>

  /// The metrics by name in base units; unreadable metrics are absent.
  var metrics: [String: Double] {
    // Measured metrics override reported ones.
    var metrics = (record.completion?.counters ?? [:]).filter {
      $0.value.isFinite && declared.contains($0.key)
    }
    if let marks { addMarks(marks, &metrics) }
    metrics.merge(frames.metrics) { _, own in own }
    addTime(&metrics)
    addMemory(&metrics)
    addAllocations(&metrics)
    addKernel(&metrics)
    addMachine(&metrics)
    return metrics
  }

  private func addMarks(_ marks: Capture, _ metrics: inout [String: Double]) {
    for name in [MetricName.startupInitialDisplay, MetricName.startupFullDisplay] {
      guard let event = marks.events.first(where: { $0.name == name }),
        event.time >= record.launched
      else { continue }
      metrics[name] = Double(event.time - record.launched)
    }
    // A value that the worker reports at the end overrides its marks.
    let last = Dictionary(marks.counters.map { ($0.name, $0.value) }) { _, later in later }
    metrics.merge(last.filter { declared.contains($0.key) }) { reported, _ in reported }
    let begins = marks.events.filter { $0.name == "reclaim.begin" }.map(\.time)
    let ends = marks.events.filter { $0.name == "reclaim.end" }.map(\.time)
    if !begins.isEmpty {
      let spans = zip(begins, ends)
      metrics[MetricName.pressureReclaimHitchTime] = frames.frames.reduce(0) { sum, frame in
        let isHit = spans.contains { $0 < frame.began + frame.cost && frame.began < $1 }
        return isHit ? sum + Double(frame.hitch) : sum
      }
    }
  }

  private func addTime(_ metrics: inout [String: Double]) {
    if let (began, ended) = record.phaseUsage, ended.wall > began.wall, ended.cpu >= began.cpu {
      metrics[MetricName.wall] = Double(ended.wall - began.wall)
      let total = Double(ended.cpu - began.cpu) - samplerCPU
      addCPU(
        total, user: Double(ended.user) - Double(began.user),
        system: Double(ended.system) - Double(began.system), &metrics)
    } else {
      metrics[MetricName.wall] = Double(record.ended - record.began)
      if let after = record.after?.cpu {
        let total = Double(after) - Double(record.before?.cpu ?? 0) - samplerCPU
        if total > 0 { metrics[MetricName.cpuTotal] = total }
      }
    }
  }

  /// Adds CPU times; user and system times are sampled at ticks, so only their ratio is used.
  private func addCPU(
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
  private func addAllocations(_ metrics: inout [String: Double]) {
    guard let totals = marks?.allocations else { return }
    var counted: (count: UInt64, bytes: UInt64)? = (totals.count, totals.bytes)
    if let (began, ended) = record.phaseUsage {
      counted = nil
      if let first = began.allocations, let last = ended.allocations, last >= first,
        let before = began.allocated, let after = ended.allocated, after >= before,
        // The worker reads the agent's counts before the harness does.
        last <= totals.count, after <= totals.bytes
      {
        counted = (last - first, after - before)
      }
    }
    guard let counted else { return }
    metrics[MetricName.allocCount] = Double(counted.count)
    if let operations = record.operations, operations > 0 {
      metrics[MetricName.benchmarkAllocations] = Double(counted.count) / operations
    }
    metrics[MetricName.allocBytes] = Double(counted.bytes)
  }

  private func addMemory(_ metrics: inout [String: Double]) {
    let withoutSegment = { (bytes: UInt64) in Double(bytes) - Double(segmentBytes) }
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
    if let mean = Self.timeWeightedMean(record.resident), mean > 0 {
      metrics[MetricName.rssMean] = mean
    }
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

  private func addKernel(_ metrics: inout [String: Double]) {
    guard let after = record.after else { return }
    let before = record.before
    if let begin = record.mainDelay.before, let end = record.mainDelay.after, end >= begin,
      !frames.frames.isEmpty
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
      (MetricName.runDelay, before?.runDelay, isDelayComplete(after) ? after.runDelay : nil),
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

  /// Returns whether the run delay is the delay of the whole launch.
  ///
  /// The kernel forgets the delays of ended threads and of children, so that the first thread of an
  /// ended process must have done nearly all the work.
  private func isDelayComplete(_ after: ProcessReadings) -> Bool {
    guard let first = after.firstThreadCPU, let cpu = after.cpu else { return true }
    return Double(first) >= 0.9 * (Double(cpu) - samplerCPU)
  }

  private func addMachine(_ metrics: inout [String: Double]) {
    if let pace = record.pace {
      metrics[MetricName.paceCPU] = Double(pace.steps)
      metrics[MetricName.paceLookups] = Double(pace.lookups)
    }
    let (before, after) = record.machine
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
    if let begin = before.busy, let end = after.busy, end >= begin {
      // Ticks are coarser than the time of this process, which counts as a program if it is unknown.
      let own = before.own.flatMap { begin in after.own.map { Double($0) - Double(begin) } } ?? 0
      metrics[MetricName.machineCPU] = max(0, Double(end - begin) - own)
    }
  }
}
