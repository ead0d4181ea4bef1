internal import Glibc
internal import Synchronization

/// The user's request to stop.
struct Cancellation: Sendable {
  let isRequested: @Sendable () -> Bool

  static let never = Cancellation { false }

  /// Returns a cancellation by Ctrl-C, SIGTERM, or the end of the terminal.
  ///
  /// The first signal requests the stop; the second one ends the program at once.
  static func bySignal() -> Cancellation {
    signal(SIGPIPE, SIG_IGN)
    // A write beyond the limit of file sizes (ulimit -f) fails with EFBIG.
    signal(SIGXFSZ, SIG_IGN)
    // Under nohup(1) the program continues after the end of the terminal.
    let endings = isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    // A parent may have blocked the signals in the thread that started the program, which inherits the mask.
    var endingSet = sigset_t()
    sigemptyset(&endingSet)
    for number in endings { sigaddset(&endingSet, number) }
    pthread_sigmask(SIG_UNBLOCK, &endingSet, nil)
    for number in endings {
      signal(number) { number in
        cancellationRequests.add(1, ordering: .relaxed)
        // The default action makes the next signal end the program.
        signal(number, SIG_DFL)
      }
    }
    return Cancellation { cancellationRequests.load(ordering: .relaxed) > 0 }
  }

  /// Returns whether a signal is ignored, which a program inherits from its parent.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // SIG_IGN is address 1, not a function.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}

/// The number of stop signals.
///
/// A signal handler can only reach globals, and may only change an atomic.
private let cancellationRequests = Atomic<Int>(0)
