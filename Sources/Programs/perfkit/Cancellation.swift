internal import Glibc
internal import Synchronization

/// The user's wish to stop.
struct Cancellation: Sendable {
  /// Whether it is time to stop.
  let isRequested: @Sendable () -> Bool

  /// Nobody stops.
  static let never = Cancellation { false }

  /// Ctrl-C, SIGTERM, or the end of the terminal: the first asks to stop, the second ends the program at
  /// once.
  static func bySignal() -> Cancellation {
    signal(SIGPIPE, SIG_IGN)
    // Under nohup(1) the end of the terminal is nothing to stop for.
    let endings = isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    for number in endings {
      signal(number) { number in
        cancellationRequests.add(1, ordering: .relaxed)
        // The next one finds the default action again.
        signal(number, SIG_DFL)
      }
    }
    return Cancellation { cancellationRequests.load(ordering: .relaxed) > 0 }
  }

  /// Whether a signal is ignored, as those are that whoever started the program ignores.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // The one handler that is no function: SIG_IGN is address 1.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}

/// Counted in a signal handler, where nothing but an atomic may be touched; a handler can reach
/// only what is global.
private let cancellationRequests = Atomic<Int>(0)
