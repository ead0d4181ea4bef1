internal import CPerfFormat

/// The counters that the agent kept about itself in one launch.
public struct AgentAudit: Hashable, Sendable {
  /// The number of ticks.
  public var ticks = 0
  /// Intervals of the grid that passed without a tick.
  public var ticksMissed = 0
  /// Ticks more than half an interval late.
  public var ticksLate = 0
  /// Signals sent to running threads.
  public var signalsSent = 0
  /// Signals that the system refused to send.
  public var signalsFailed = 0
  /// Samples that handlers wrote.
  public var samplesWritten = 0
  /// Samples that handlers dropped: no ring, no room, or a nested handler.
  public var samplesDropped = 0
  /// Signals whose handler had not run by the thread's next tick.
  public var signalsBlocked = 0
  /// Threads that block the signal.
  public var threadsBlocking = 0
  /// CPU time of the ticker in nanoseconds.
  public var tickerCPU: UInt64 = 0
  /// Time of the first tick in CLOCK_MONOTONIC nanoseconds; 0 before it.
  public var samplingBegan: UInt64 = 0
  /// Time of the last tick in CLOCK_MONOTONIC nanoseconds.
  public var samplingEnded: UInt64 = 0
  /// Threads that got no ring.
  public var threadsWithoutRing = 0
  /// Whether the program replaced the signal's handler.
  public var hasForeignHandler = false
  /// Records of sampled allocations and frees that were dropped for lack of room.
  public var allocationsDropped = 0
  /// Sampled allocations whose free cannot be observed.
  public var allocationsUntracked = 0

  /// Why sampling ended before the process did; nil if it did not.
  public var stop: SamplingStop?

  /// Whether the process executed a program without the agent.
  public var hasLeft = false
  /// The error number (errno) that kept the ticker from starting; 0 if it started.
  public var tickerFailure: Int32 = 0
  /// Waiting threads that could not be examined because the process had no free descriptor.
  public var statesUnread = 0

  /// Creates an audit with zero counts.
  public init() {}

  init(_ values: perfkit_audit_values) {
    // A broken program may have written any value, so counts saturate instead of trapping.
    ticks = Int(clamping: values.ticks)
    ticksMissed = Int(clamping: values.ticks_missed)
    ticksLate = Int(clamping: values.ticks_late)
    signalsSent = Int(clamping: values.signals_sent)
    signalsFailed = Int(clamping: values.signals_failed)
    samplesWritten = Int(clamping: values.samples_written)
    samplesDropped = Int(clamping: values.samples_dropped)
    signalsBlocked = Int(clamping: values.signals_blocked)
    threadsBlocking = Int(clamping: values.threads_blocking)
    tickerCPU = values.ticker_cpu_ns
    samplingBegan = values.sampling_began_ns
    samplingEnded = values.sampling_ended_ns
    threadsWithoutRing = Int(clamping: values.thread_slots_full)
    hasForeignHandler = values.foreign_handler != 0
    allocationsDropped = Int(clamping: values.allocations_dropped)
    allocationsUntracked = Int(clamping: values.allocations_untracked)
    stop = SamplingStop(rawValue: values.stopped)
    hasLeft = values.left != 0
    tickerFailure = Int32(clamping: values.ticker_failed)
    statesUnread = Int(clamping: values.states_unread)
  }

  /// Returns whether the counters are possible; a program with memory errors may have overwritten
  /// them.
  ///
  /// - Parameters:
  ///   - interval: Nanoseconds between ticks; 0 without a ticker.
  ///   - end: The end of the process or of the measured phase, in CLOCK_MONOTONIC nanoseconds;
  ///     sampling may last a little longer.
  /// - Returns: False if no agent can have counted this.
  func isPlausible(interval: UInt64, until end: UInt64) -> Bool {
    guard interval > 0 else { return true }
    let moment: UInt64 = 10_000_000_000
    let last = end.addingClamped(moment)
    guard samplingBegan <= last, samplingEnded <= last else { return false }
    guard samplingEnded == 0 || samplingEnded >= samplingBegan else { return false }
    guard (0...Self.lastError).contains(tickerFailure) else { return false }
    let elapsed = (samplingEnded > 0 ? samplingEnded : last) - samplingBegan
    // Each program that the process executes starts a new grid.
    let most =
      samplingBegan == 0 ? 0 : (elapsed / interval).addingClamped(elapsed / 1_000_000) + 1000
    guard UInt64(ticks).addingClamped(UInt64(ticksMissed)) <= most, ticksLate <= ticks else {
      return false
    }
    // At most one per thread and tick.
    let counts = [signalsSent, signalsFailed, signalsBlocked, statesUnread]
    let (threads, overflow) = (UInt64(ticks) + 1).multipliedReportingOverflow(
      by: UInt64(PERFKIT_ALLOCATION_SLOTS))
    return overflow || counts.allSatisfy { UInt64($0) <= threads }
  }

  /// The largest error number of Linux (EHWPOISON, errno(3)).
  private static let lastError: Int32 = 133

  /// The duration of sampling in nanoseconds; 0 if sampling never began or the times are invalid.
  public var samplingTime: UInt64 {
    samplingEnded > samplingBegan && samplingBegan > 0 ? samplingEnded - samplingBegan : 0
  }
}
