internal import Glibc
internal import Synchronization

/// A cover source with the latency and failures of a network, reproducible from a seed.
///
/// The outcome of a cover's first, second and third request depends only on the seed and its name,
/// not on the order in which threads ask.
public final class SimulatedNetwork: CoverSource {
  /// The latency and failure rates of a network.
  public struct Behaviour: Hashable, Sendable {
    /// The median latency; 850 ms in the case study, later 120 ms.
    public var latency = Duration.milliseconds(120)
    /// The standard deviation of the latencies' logarithms.
    public var spread = 0.4
    /// The percentage of requests that fail, as by a reset connection.
    public var failurePercent = 5.0
    /// The percentage of requests that are rejected as overload (429).
    public var overloadPercent = 0.0
    /// The pause that an overload response asks for.
    public var retryAfter = Duration.seconds(2)

    /// Creates a network that fails 5 % of the requests.
    public init() {}
  }

  /// The counters of a network.
  public struct Metrics: Equatable, Sendable {
    /// All requests, whatever their outcome.
    public var requestCount = 0
    /// Requests for a cover that was already on its way or had been sent before.
    public var duplicateCount = 0
    /// The largest number of concurrent requests.
    public var highestConcurrency = 0
  }

  fileprivate struct State {
    var metrics = Metrics()
    var attempts: [String: Int] = [:]
    var underWay: [String: Int] = [:]
    var sent: Set<String> = []
    var inside = 0
  }

  private let origin: any CoverSource
  private let behaviour: Behaviour
  private let seed: UInt64
  private let clock: LoadClock
  private let state = Mutex(State())

  /// Creates a network in front of a source; requests wait by the clock.
  public init(
    origin: any CoverSource, behaviour: Behaviour, seed: UInt64, clock: LoadClock = .system
  ) {
    self.origin = origin
    self.behaviour = behaviour
    self.seed = seed
    self.clock = clock
  }

  /// Waits for the network's latency, then returns the cover or fails.
  ///
  /// - Throws: ``CoverError/unreachable(cover:)``, ``CoverError/overloaded(cover:retryAfter:)``, or
  ///   the error of the origin.
  public func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    let attempt = state.withLock { $0.enter(key) }
    var random = SeededRandom(seed: seed ^ (key.cacheHash &+ UInt64(attempt)))
    clock.sleep(latency(&random))
    let fate = random.unit() * 100
    do throws(CoverError) {
      if fate < behaviour.failurePercent { throw .unreachable(cover: key) }
      if fate < behaviour.failurePercent + behaviour.overloadPercent {
        throw .overloaded(cover: key, retryAfter: behaviour.retryAfter)
      }
      let bytes = try origin.encodedCover(for: key)
      state.withLock { $0.leave(key, isSent: true) }
      return bytes
    } catch {
      state.withLock { $0.leave(key, isSent: false) }
      throw error
    }
  }

  /// The counters of the network so far.
  public var metrics: Metrics { state.withLock { $0.metrics } }

  /// Draws a log-normal latency by the Box-Muller transform.
  private func latency(_ random: inout SeededRandom) -> Duration {
    let radius = (-2 * log(1 - random.unit())).squareRoot()
    let normal = radius * cos(2 * .pi * random.unit())
    return behaviour.latency * exp(behaviour.spread * normal)
  }
}

extension SimulatedNetwork.State {
  /// Counts a request and returns the number of earlier requests for the cover.
  fileprivate mutating func enter(_ key: String) -> Int {
    metrics.requestCount += 1
    if underWay[key, default: 0] > 0 || sent.contains(key) { metrics.duplicateCount += 1 }
    underWay[key, default: 0] += 1
    inside += 1
    metrics.highestConcurrency = max(metrics.highestConcurrency, inside)
    attempts[key, default: 0] += 1
    return attempts[key, default: 0] - 1
  }

  fileprivate mutating func leave(_ key: String, isSent: Bool) {
    underWay[key, default: 1] -= 1
    inside -= 1
    if isSent { sent.insert(key) }
  }
}
