/// What takes the samples of a profile.
public enum SamplingEngine: String, Hashable, Sendable, Codable, CaseIterable {
  /// A signal that a preloaded library sends to each running thread.
  case signal
  /// The kernel's software clock of each thread: perf_event_open(2).
  case perf
}
