import CoverCache
import Synchronization

/// A clock that changes only when a test advances it.
final class ManualClock: Sendable {
  private let time: Mutex<Duration>

  init(_ start: Duration = .seconds(1_700_000_000)) {
    time = Mutex(start)
  }

  func advance(by step: Duration) { time.withLock { $0 += step } }

  var clock: CoverClock {
    CoverClock { self.time.withLock { $0 } }
  }
}
