internal import Glibc
internal import Synchronization

/// The user's wish to stop.
struct Cancellation: Sendable {
  /// Whether it is time to stop.
  let isRequested: @Sendable () -> Bool

  /// Nobody stops.
  static let never = Cancellation { false }

  /// Ctrl-C or SIGTERM: the first asks to stop, the second ends the program at once.
  static func bySignal() -> Cancellation {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        cancellationRequests.add(1, ordering: .relaxed)
        // The next one finds the default action again.
        signal(number, SIG_DFL)
      }
    }
    return Cancellation { cancellationRequests.load(ordering: .relaxed) > 0 }
  }
}

/// Counted in a signal handler, where nothing but an atomic may be touched; a handler can reach
/// only what is global.
private let cancellationRequests = Atomic<Int>(0)
