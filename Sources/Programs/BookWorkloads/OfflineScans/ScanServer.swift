internal import CoverCache
internal import Synchronization

/// A server for scans, on a network that is offline for a while.
final class ScanServer: Sendable {
  private struct State {
    var arrivals: [String: Duration] = [:]
    var requestCount = 0
    var repeatedCount = 0
  }

  private let latency: Duration
  private let away: Range<Duration>
  private let clock: LoadClock
  private let state = Mutex(State())

  /// Creates a server whose network is offline during a session time.
  init(latency: Duration, away: Range<Duration>, clock: LoadClock) {
    self.latency = latency
    self.away = away
    self.clock = clock
  }

  /// The session times at which the scans were received, by name.
  var arrivals: [String: Duration] { state.withLock { $0.arrivals } }

  /// The number of all requests, including failed ones.
  var requestCount: Int { state.withLock { $0.requestCount } }

  /// The number of scans that were received more than once.
  var repeatedCount: Int { state.withLock { $0.repeatedCount } }

  /// Receives at least one scan in a request that takes the latency, also if it fails.
  func receive(_ names: [String]) throws(CoverError) {
    let isAway = away.contains(clock.now())
    state.withLock { $0.requestCount += 1 }
    clock.sleep(latency)
    if isAway { throw .unreachable(cover: names[0]) }
    let now = clock.now()
    state.withLock { state in
      for name in names {
        if state.arrivals[name] != nil { state.repeatedCount += 1 }
        state.arrivals[name] = now
      }
    }
  }
}
