internal import CPerfFormat

/// The counters that the agent kept about itself in one launch (`struct perfkit_audit`).
///
/// A broken program may have written any value, so sums saturate instead of trapping.
typealias AgentAudit = perfkit_audit_values

extension AgentAudit {
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
    // The largest error number of Linux (EHWPOISON, errno(3)).
    let lastError = 133
    guard sampling_began_ns <= last, sampling_ended_ns <= last, ticker_failed <= lastError,
      sampling_ended_ns == 0 || sampling_ended_ns >= sampling_began_ns
    else { return false }
    let elapsed = (sampling_ended_ns > 0 ? sampling_ended_ns : last) - sampling_began_ns
    // Each program that the process executes starts a new grid.
    let most =
      sampling_began_ns == 0 ? 0 : (elapsed / interval).addingClamped(elapsed / 1_000_000) + 1000
    guard ticks.addingClamped(ticks_missed) <= most, ticks_late <= ticks else { return false }
    // At most one per thread and tick.
    let (threads, overflow) = ticks.addingClamped(1).multipliedReportingOverflow(
      by: UInt64(PERFKIT_ALLOCATION_SLOTS))
    return overflow
      || [signals_sent, signals_failed, signals_blocked, states_unread].allSatisfy { $0 <= threads }
  }

  /// The duration of sampling in nanoseconds; 0 if sampling never began or the times are invalid.
  var samplingTime: UInt64 {
    sampling_ended_ns > sampling_began_ns && sampling_began_ns > 0
      ? sampling_ended_ns - sampling_began_ns : 0
  }
}

/// The reason for which the agent ended sampling before the process ended (`enum perfkit_stop`).
enum SamplingStop: UInt64, CaseIterable {
  /// The program installed a filter of system calls (seccomp).
  case filter = 1
  /// One thread changed its capabilities.
  case credentials
  /// The program entered a namespace that is open to processes with one thread only.
  case namespace
  /// The first thread of a child after fork ended before the others.
  case firstThread

  /// The warning; its code is without `sampler.`.
  var warning: (code: String, message: String, remedy: String) {
    switch self {
    case .filter:
      (
        "filtered", "sampling ended when the program installed a system call filter (seccomp)",
        "Disable the program's sandbox while profiling."
      )
    case .credentials:
      (
        "credentials", "sampling ended when the program changed the capabilities of one thread",
        "Start the program with its final user and capabilities."
      )
    case .namespace:
      (
        "namespace",
        "sampling ended when the program entered a namespace that is open to single threads only",
        "Start the program inside the namespace."
      )
    case .firstThread:
      (
        "first_thread",
        "sampling of a child ended when its first thread ended before the others",
        "Profile that process on its own."
      )
    }
  }
}
