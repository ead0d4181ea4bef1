/// The reason for which the agent ended sampling before the process ended (`enum perfkit_stop`).
public enum SamplingStop: UInt64, Hashable, Sendable, CaseIterable {
  /// The program installed a filter of system calls (seccomp).
  case filter = 1
  /// One thread changed its capabilities.
  case credentials = 2
  /// The program entered a namespace that is open to processes with one thread only.
  case namespace = 3
  /// The first thread of a child after fork ended before the others.
  case firstThread = 4

  /// The warning's code, without `sampler.`.
  var code: String {
    switch self {
    case .filter: "filtered"
    case .credentials: "credentials"
    case .namespace: "namespace"
    case .firstThread: "first_thread"
    }
  }

  var message: String {
    switch self {
    case .filter: "sampling ended when the program installed a system call filter (seccomp)"
    case .credentials: "sampling ended when the program changed the capabilities of one thread"
    case .namespace:
      "sampling ended when the program entered a namespace that is open to single threads only"
    case .firstThread: "sampling of a child ended when its first thread ended before the others"
    }
  }

  var remedy: String {
    switch self {
    case .filter: "Disable the program's sandbox while profiling."
    case .credentials: "Start the program with its final user and capabilities."
    case .namespace: "Start the program inside the namespace."
    case .firstThread: "Profile that process on its own."
    }
  }
}
