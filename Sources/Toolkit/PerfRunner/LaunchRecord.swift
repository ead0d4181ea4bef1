internal import PerfModel
internal import PerfProtocol

/// What is known of a launch while it is made.
struct LaunchRecord {
  /// Its place in the run.
  let index: Int
  /// Whether its metrics are thrown away.
  let isWarmup: Bool
  /// Nanoseconds from the begin of the run.
  let offset: UInt64
  /// How it ended, as far as is known.
  var status = Launch.Status.completed
  /// CLOCK_MONOTONIC right before its process was started.
  var launched: UInt64 = 0
  /// CLOCK_MONOTONIC at the begin of the measured phase.
  var began: UInt64 = 0
  /// CLOCK_MONOTONIC at its end.
  var ended: UInt64 = 0
  /// Readings at the begin; nil when the measured phase is the process's whole life.
  var before: ProcessReadings?
  /// Readings at the end; nil when the process had gone.
  var after: ProcessReadings?
  /// Readings of the machine at both ends of what is measured.
  var machine: (before: MachineReadings, after: MachineReadings) = (.unknown, .unknown)
  /// What `Pace` read right before; nil where it was not asked for.
  var pace: Pace?
  /// The main thread's time on the run queue at both ends.
  var mainDelay: (before: UInt64?, after: UInt64?) = (nil, nil)
  /// CLOCK_MONOTONIC before the process was read at the begin, and after it was at the end.
  var read: (before: UInt64?, after: UInt64?) = (nil, nil)
  /// Whether VmHWM counts the measured phase alone.
  var peakIsOfPhase = true
  /// Proportional memory at the end.
  var proportional: UInt64?
  /// What the worker said at the end.
  var completion: WorkerMessage.Completion?
  /// Resident memory over time, without the segment.
  var resident = TimeSeries(name: "rss", dimension: .size, times: [], values: [])
  /// What else was read over time.
  var series: [TimeSeries] = []

  /// The worker's own clocks at both ends of what is measured; nil when it has not sent them.
  ///
  /// A start is measured from the launch, when the process had used no CPU time.
  var phaseUsage: (began: WorkerMessage.Usage, ended: WorkerMessage.Usage)? {
    guard let usage = completion?.usage else { return nil }
    guard before == nil else { return usage }
    let nothing = WorkerMessage.Usage(
      wall: launched, cpu: 0, user: 0, system: 0, allocations: 0, allocated: 0)
    return (nothing, usage.ended)
  }
}
