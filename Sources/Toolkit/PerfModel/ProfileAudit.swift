/// How well a profile was sampled; a profile without it is not stored.
public struct ProfileAudit: Hashable, Sendable, Codable {
  /// Ticks a second that were asked for.
  public var rateAsked = 0.0
  /// Ticks a second that were made while sampling.
  public var rateReached = 0.0
  /// Seconds of sampling over all measured launches.
  public var seconds = 0.0
  /// Ticks that were made.
  public var ticks = 0
  /// Intervals that went by without a tick.
  public var ticksMissed = 0
  /// Ticks later than half an interval.
  public var ticksLate = 0
  /// Signals that were sent to threads that ran.
  public var signals = 0
  /// Signals whose handler had not run by the next tick.
  public var signalsBlocked = 0
  /// Signals that the system refused to send.
  public var signalsFailed = 0
  /// Samples of threads that ran.
  public var samples = 0
  /// Samples that had no room or no ring, in the agent and in the harness.
  public var dropped = 0
  /// Stacks that were unwound to their outermost frame.
  public var complete = 0
  /// Stacks cut at the size of the slot.
  public var truncated = 0
  /// Stacks of threads that waited, read from outside once a block.
  public var waits = 0
  /// Those that were unwound to their outermost frame.
  public var waitsComplete = 0
  /// Those that end where a register is unknown.
  public var partial = 0
  /// Stacks that ended early for another reason.
  public var failed = 0
  /// Those reasons with their counts.
  public var failures: [String: Int] = [:]
  /// Median time of the signal handler in nanoseconds, or nil without samples.
  public var handlerP50: Double?
  /// 99th percentile of it.
  public var handlerP99: Double?
  /// CPU time of the ticker in nanoseconds.
  public var tickerCPU: UInt64 = 0
  /// CPUs that were busy on average while sampling, by the machine's own count; nil when unknown.
  public var cpusBusy: Double?
  /// Most of a ring that was ever filled, from 0 to 1.
  public var ringHighWater = 0.0
  /// Threads that block the sampling signal.
  public var threadsBlocking = 0
  /// Records of the capture segment that made no sense and were passed over.
  public var garbage = 0
  /// What a signal cost its thread on that machine at the begin of the run, before and after the
  /// handler, in nanoseconds; nil when it was not measured.
  public var signalCost: Double?
  /// What a quarter of the signals that were measured then cost at most.
  public var signalCostLow: Double?
  /// What a quarter of them cost at least.
  public var signalCostHigh: Double?
  /// Why it was not measured, as the end of a sentence; nil when it was, or nobody asked.
  public var signalCostObstacle: String?
  /// What handlers, and signals as far as their cost is known, added to the CPU time of the sampled
  /// threads, as a share of it; an estimate.
  public var overhead: Double?
  /// The overhead if signals cost `signalCostLow`; nil when that is unknown.
  public var overheadLow: Double?
  /// The overhead if they cost `signalCostHigh`.
  public var overheadHigh: Double?
  /// What follows, for readers.
  public var warnings: [RunWarning] = []

  /// Creates an audit of nothing.
  public init() {}
}
