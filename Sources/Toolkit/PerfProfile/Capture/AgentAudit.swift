internal import CPerfFormat

/// The counters that the agent kept about itself in one launch (`struct perfkit_audit`).
///
/// `SegmentCounters` checks them, because a broken program may have written any value.
typealias AgentAudit = perfkit_audit_values

extension AgentAudit {
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

  /// The largest raw value.
  static let last = allCases.map(\.rawValue).max() ?? 0

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
    }
  }
}
