internal import PerfModel
internal import PerfProtocol

/// The readings of a launch while it is made.
struct LaunchRecord {
  let index: Int
  let isWarmup: Bool
  /// Nanoseconds from the start of the run.
  let offset: UInt64
  /// The end of the launch, as far as it is known.
  var status = Launch.Status.completed
  /// The process id.
  var process: Int32 = 0
  /// CLOCK_MONOTONIC right before the start of the process.
  var launched: UInt64 = 0
  /// CLOCK_MONOTONIC at the start of the measured phase.
  var began: UInt64 = 0
  /// CLOCK_MONOTONIC at the end of the measured phase.
  var ended: UInt64 = 0
  /// Readings at the start of the measured phase; nil if the phase is the whole life of the
  /// process.
  var before: ProcessReadings?
  /// Readings at the end; nil if the process was gone.
  var after: ProcessReadings?
  /// Readings of the machine before and after the measured phase.
  var machine: (before: MachineReadings, after: MachineReadings) =
    (MachineReadings(), MachineReadings())
  /// The CPU's pace right before the launch; nil if not requested.
  var pace: Pace?
  /// The main thread's time on the run queue before and after the measured phase.
  var mainDelay: (before: UInt64?, after: UInt64?) = (nil, nil)
  /// The sampler's CPU time at `began` and at `ended` of a worker, in nanoseconds; nil for a command
  /// and an attached process.
  var samplerCPU: (before: UInt64, after: UInt64)?
  /// CLOCK_MONOTONIC before the first and after the second reading of the process.
  var read: (before: UInt64?, after: UInt64?) = (nil, nil)
  /// Whether VmHWM covers the measured phase alone.
  var peakIsOfPhase = true
  var proportional: UInt64?
  /// The metrics that a command reported, in base units.
  var reported: [String: Double] = [:]
  /// The operations of a suite's benchmark; nil for another program.
  var operations: Double?
  var completion: WorkerMessage.Completion?
  /// Resident memory over time, without the segment.
  var resident = TimeSeries(name: "rss", dimension: .size, times: [], values: [])
  var series: [TimeSeries] = []

  /// The measured phase, CLOCK_MONOTONIC: the worker's own reading, without its start of the phase.
  var measured: ClosedRange<UInt64> {
    let (first, last) = phaseUsage.map { ($0.began.wall, $0.ended.wall) } ?? (began, ended)
    return first...max(first, last)
  }

  /// The sampler's CPU time in a worker's measured phase, in nanoseconds; nil for a command, without the
  /// worker's clocks, and for counters that the program has overwritten.
  ///
  /// Its work before and after the phase is no part of it. The harness reads its clock a little earlier and
  /// later than the worker reads its own, and the ticks between are spread evenly.
  var samplerCPUOfPhase: Double? {
    guard let (before, after) = samplerCPU, after >= before, phaseUsage != nil else { return nil }
    let window = Double(max(ended, began) - began)
    let phase = Double(measured.upperBound - measured.lowerBound)
    return Double(after - before) * (window > 0 ? min(phase / window, 1) : 1)
  }

  /// The worker's clocks at both ends of the measured phase; nil if it did not send them.
  ///
  /// A phase that begins with the process is measured from the launch, when no CPU time was used.
  var phaseUsage: (began: WorkerMessage.Usage, ended: WorkerMessage.Usage)? {
    guard let usage = completion?.usage else { return nil }
    guard before == nil else { return usage }
    let nothing = WorkerMessage.Usage(
      wall: launched, cpu: 0, user: 0, system: 0, allocations: 0, allocated: 0)
    return (nothing, usage.ended)
  }
}
