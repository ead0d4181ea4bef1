internal import CoverCache
internal import PerfWorkload
internal import Synchronization

/// A cover source that records the time from each failure to the next request for the cover.
final class ObservedRetries: CoverSource {
  private struct State {
    /// The time of the last failed request per cover, and the number of failures before it.
    ///
    /// The time is nil if the server requested a pause.
    var failures: [String: (time: Duration?, count: Int)] = [:]
    /// The waits after the first, the second and the third failure.
    var waits: [[Duration]] = [[], [], []]
  }

  static let counters: [CounterDeclaration] = names.map { name in
    CounterDeclaration.time(
      "network.wait.\(name)", .neutral, scale: .ratio,
      "Median time on the network's clock from the \(name) failure to the next request.")
  }

  private static let names = ["first", "second", "third"]

  private let origin: any CoverSource
  private let clock: LoadClock
  private let state = Mutex(State())

  init(origin: any CoverSource, clock: LoadClock) {
    self.origin = origin
    self.clock = clock
  }

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    let now = clock.now()
    let failures = state.withLock { state in
      guard let last = state.failures[key] else { return 0 }
      if let time = last.time, last.count < state.waits.count {
        state.waits[last.count].append(now - time)
      }
      return last.count + 1
    }
    do throws(CoverError) {
      let bytes = try origin.encodedCover(for: key)
      state.withLock { $0.failures[key] = nil }
      return bytes
    } catch {
      // A wait that the server requests is not the cache's, but counts as one of its attempts.
      let failed = error.retryAfter == nil ? clock.now() : nil
      state.withLock { $0.failures[key] = (failed, failures) }
      throw error
    }
  }

  /// Reports the median waits that occurred.
  func report(to context: MeasurementContext) {
    state.withLock { state in
      for (name, waits) in zip(Self.names, state.waits) where !waits.isEmpty {
        context.report("network.wait.\(name)", waits.sorted()[waits.count / 2].nanoseconds)
      }
    }
  }
}
