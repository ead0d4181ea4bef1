internal import CoverCache
internal import Synchronization

/// A server that scans are sent to, over a network that is away for a while.
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

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - latency: How long each request takes, whatever comes of it.
  ///   - away: From when to when, by the clock, nobody reaches it.
  ///   - clock: What it waits by.
  init(latency: Duration, away: Range<Duration>, clock: LoadClock) {
    self.latency = latency
    self.away = away
    self.clock = clock
  }

  /// When the scans came, by their names.
  var arrivals: [String: Duration] { state.withLock { $0.arrivals } }

  /// Requests of any outcome.
  var requestCount: Int { state.withLock { $0.requestCount } }

  /// Scans that came although they had come already.
  var repeatedCount: Int { state.withLock { $0.repeatedCount } }

  /// Takes scans in one request, and waits as long as the network takes.
  ///
  /// - Parameter names: Of at least one scan.
  /// - Throws: ``CoverError/unreachable(cover:)`` while the network is away.
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
