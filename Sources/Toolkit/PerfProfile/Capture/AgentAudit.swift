internal import CPerfFormat

/// What the agent counted about itself in one launch.
public struct AgentAudit: Hashable, Sendable {
  /// Ticks that were made.
  public var ticks = 0
  /// Grid intervals that went by without a tick.
  public var ticksMissed = 0
  /// Ticks later than half an interval.
  public var ticksLate = 0
  /// Signals sent to running threads.
  public var signalsSent = 0
  /// Signals that the system refused to send.
  public var signalsFailed = 0
  /// Samples that handlers wrote.
  public var samplesWritten = 0
  /// Samples that handlers dropped: no ring, no room, or entered again.
  public var samplesDropped = 0
  /// Signals whose handler had not run by the thread's next tick.
  public var signalsBlocked = 0
  /// Threads that block the signal.
  public var threadsBlocking = 0
  /// CPU time of the ticker, in nanoseconds.
  public var tickerCPU: UInt64 = 0
  /// Time of the first tick, in CLOCK_MONOTONIC nanoseconds; 0 before.
  public var samplingBegan: UInt64 = 0
  /// Time of the last tick.
  public var samplingEnded: UInt64 = 0
  /// Threads that got no ring.
  public var threadsWithoutRing = 0
  /// Whether the program had replaced the signal's handler.
  public var hasForeignHandler = false
  /// Sampled allocations, or ends of them, that had no room.
  public var allocationsDropped = 0
  /// Sampled allocations whose end was not awaited.
  public var allocationsUntracked = 0

  /// Why sampling ended before the process did; nil if it did not.
  public var stop: SamplingStop?

  /// Whether the process went on as a program that the agent is not in.
  public var hasLeft = false
  /// The error number (errno) that kept the ticker from starting; 0 when it did.
  public var tickerFailure: Int32 = 0
  /// Looks at threads that were in vain, since the process had no descriptor to spare.
  public var statesUnread = 0

  /// Creates an audit of nothing.
  public init() {}

  init(_ values: perfkit_audit_values) {
    // A broken program may have written anything: counts saturate instead of trapping.
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

  /// Returns whether the agent can have counted this; a program that writes where it should not may have.
  ///
  /// - Parameters:
  ///   - interval: Nanoseconds between ticks; 0 without a ticker.
  ///   - end: When the process had ended, or the measured phase, in CLOCK_MONOTONIC nanoseconds; it may
  ///     be sampled for some moments more.
  /// - Returns: False when nobody can.
  func isPlausible(interval: UInt64, until end: UInt64) -> Bool {
    guard interval > 0 else { return true }
    let moment: UInt64 = 10_000_000_000
    let last = end.addingClamped(moment)
    guard samplingBegan <= last, samplingEnded <= last else { return false }
    guard samplingEnded == 0 || samplingEnded >= samplingBegan else { return false }
    guard (0...Self.lastError).contains(tickerFailure) else { return false }
    let elapsed = (samplingEnded > 0 ? samplingEnded : last) - samplingBegan
    // Each program that follows another one (exec) begins a grid anew.
    let most =
      samplingBegan == 0 ? 0 : (elapsed / interval).addingClamped(elapsed / 1_000_000) + 1000
    guard UInt64(ticks).addingClamped(UInt64(ticksMissed)) <= most, ticksLate <= ticks else {
      return false
    }
    // At most one of each for a thread and tick.
    let counts = [signalsSent, signalsFailed, signalsBlocked, statesUnread]
    let (threads, overflow) = (UInt64(ticks) + 1).multipliedReportingOverflow(
      by: UInt64(PERFKIT_ALLOCATION_SLOTS))
    return overflow || counts.allSatisfy { UInt64($0) <= threads }
  }

  /// The largest error number of Linux (EHWPOISON, errno(3)).
  private static let lastError: Int32 = 133

  /// Nanoseconds of sampling; 0 when it never began or the agent's figures make no sense.
  public var samplingTime: UInt64 {
    samplingEnded > samplingBegan && samplingBegan > 0 ? samplingEnded - samplingBegan : 0
  }
}
