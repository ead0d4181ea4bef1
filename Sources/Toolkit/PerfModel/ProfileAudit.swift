/// The quality of a profile's sampling; every stored profile has one.
public struct ProfileAudit: Hashable, Sendable, Codable {
  /// What took the samples; nil for the signal.
  public var engine: SamplingEngine?
  /// The reason for that engine, as a clause; nil in profiles of earlier versions and imported ones.
  public var engineReason: String?
  /// What the weights of an imported profile measure; nil for CPU time.
  public var measure: Profile.Measure?
  /// Requested ticks per second.
  public var rateAsked = 0.0
  /// Ticks per second while sampling.
  public var rateReached = 0.0
  /// Seconds of sampling over all measured launches.
  public var seconds = 0.0
  /// The number of ticks.
  public var ticks = 0
  /// Intervals without a tick.
  public var ticksMissed = 0
  /// Ticks later than half an interval.
  public var ticksLate = 0
  /// Signals sent to running threads.
  public var signals = 0
  /// Signals whose handler had not run by the next tick.
  public var signalsBlocked = 0
  /// Signals that the system refused to send.
  public var signalsFailed = 0
  /// Samples of running threads.
  public var samples = 0
  /// Samples lost because a buffer of the agent or the harness was full, or the thread had no ring.
  public var dropped = 0
  /// Stacks unwound to their outermost frame.
  public var complete = 0
  /// Stacks cut at the size of the slot.
  public var truncated = 0
  /// Stacks of waiting threads, read from outside once per wait.
  public var waits = 0
  /// Stacks of waiting threads unwound to their outermost frame.
  public var waitsComplete = 0
  /// Stacks that end where a register is unknown.
  public var partial = 0
  /// Stacks that ended early for another reason.
  public var failed = 0
  /// The number of early ends by reason.
  public var failures: [String: Int] = [:]
  /// Median time of the signal handler in nanoseconds; nil without samples.
  public var handlerP50: Double?
  /// 99th percentile of the time of the signal handler; nil without samples.
  public var handlerP99: Double?
  /// CPU time of the ticker in nanoseconds.
  public var tickerCPU: UInt64 = 0
  /// The machine's mean number of busy CPUs while sampling; nil if unknown.
  public var cpusBusy: Double?
  /// The highest fill level of a ring, from 0 to 1.
  public var ringHighWater = 0.0
  /// Threads that block the sampling signal.
  public var threadsBlocking = 0
  /// Lost records of sampled allocations and of their ends; nil if allocations were not sampled, and
  /// in profiles of earlier versions.
  public var allocationsLost: Int?
  /// Kept records of sampled allocations; nil like `allocationsLost`.
  public var allocationsKept: Int?
  /// Invalid records of the capture segment, which were skipped.
  public var garbage = 0
  /// The median cost of a signal without its handler, measured at the start of the run, in
  /// nanoseconds; nil if not measured.
  public var signalCost: Double?
  /// The lower quartile of that cost.
  public var signalCostLow: Double?
  /// The upper quartile of that cost.
  public var signalCostHigh: Double?
  /// The reason why a requested cost was not measured, as the end of a sentence; otherwise nil.
  public var signalCostObstacle: String?
  /// The estimated share of the sampled threads' CPU time that handlers and signals added.
  public var overhead: Double?
  /// The overhead if a signal costs `signalCostLow`; nil if that is unknown.
  public var overheadLow: Double?
  /// The overhead if a signal costs `signalCostHigh`; nil if that is unknown.
  public var overheadHigh: Double?
  /// The longest waits of tasks in nanoseconds, by index of the profile's count; nil if tasks were not
  /// recorded.
  public var longestTaskWaits: [Int: Double]?
  /// The numbers of the launches whose samples are in the profile; nil for all of the run.
  ///
  /// The samples of launches before a kill of the harness are lost.
  public var launches: Set<Int>?
  /// Warnings for the reader.
  public var warnings: [RunWarning] = []

  /// Creates an empty audit.
  public init() {}

  /// The share of the records of sampled allocations that were lost, from 0 to 1; 0 if it is unknown.
  ///
  /// It is an upper bound: the lost records of ends are counted as well, and the kept ones are not.
  package var shareOfLostAllocations: Double {
    guard let lost = allocationsLost, let kept = allocationsKept, lost > 0 else { return 0 }
    return Double(lost) / (Double(lost) + Double(kept))
  }
}
