internal import Glibc
internal import Synchronization

/// A source that answers as late and as unreliably as a network, and always in the same way.
///
/// What happens to a cover's first, second, third request depends on the seed and its name alone, not
/// on the order in which threads ask.
public final class SimulatedNetwork: CoverSource {
  /// How a network behaves.
  public struct Behaviour: Hashable, Sendable {
    /// The median of the latencies; the case study had 850 ms, and 120 ms afterwards.
    public var latency = Duration.milliseconds(120)
    /// The standard deviation of the latencies' logarithms.
    public var spread = 0.4
    /// How many of a hundred requests fail, as by a reset connection.
    public var failurePercent = 5.0
    /// How many of a hundred requests are told to come back later (429).
    public var overloadPercent = 0.0
    /// When they are told to come back.
    public var retryAfter = Duration.seconds(2)

    /// Makes a network that fails in 5 % of the requests.
    public init() {}
  }

  /// What was asked of the network.
  public struct Metrics: Equatable, Sendable {
    /// Requests of any outcome.
    public var requestCount = 0
    /// Requests that failed.
    public var failureCount = 0
    /// Requests that were told to come back later.
    public var overloadCount = 0
    /// Requests for a cover that was on its way already, or had been sent before.
    public var duplicateCount = 0
    /// The most requests at one time.
    public var highestConcurrency = 0
    /// Bytes sent.
    public var byteCount = 0
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

  /// Makes a network in front of a source.
  ///
  /// - Parameters:
  ///   - origin: What has the covers.
  ///   - behaviour: How late and how unreliable it is.
  ///   - seed: What chance is drawn from.
  ///   - clock: What it waits by.
  public init(
    origin: any CoverSource, behaviour: Behaviour, seed: UInt64, clock: LoadClock = .system
  ) {
    self.origin = origin
    self.behaviour = behaviour
    self.seed = seed
    self.clock = clock
  }

  /// Waits as long as the network takes, and returns the cover unless it fails this time.
  ///
  /// - Parameter key: The name of the cover.
  /// - Returns: What the origin has.
  /// - Throws: ``CoverError/unreachable(cover:)``, ``CoverError/overloaded(cover:retryAfter:)``, or
  ///   what the origin throws.
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
      state.withLock { $0.leave(key, sent: bytes.count, error: nil) }
      return bytes
    } catch {
      state.withLock { $0.leave(key, sent: nil, error: error) }
      throw error
    }
  }

  /// What was asked of the network so far.
  public var metrics: Metrics { state.withLock { $0.metrics } }

  /// Draws a latency: the logarithm is normal, by Box and Muller's transform.
  private func latency(_ random: inout SeededRandom) -> Duration {
    let radius = (-2 * log(1 - random.unit())).squareRoot()
    let normal = radius * cos(2 * .pi * random.unit())
    return behaviour.latency * exp(behaviour.spread * normal)
  }
}

extension SimulatedNetwork.State {
  /// Counts a request, and returns how many there were for the cover before it.
  fileprivate mutating func enter(_ key: String) -> Int {
    metrics.requestCount += 1
    if underWay[key, default: 0] > 0 || sent.contains(key) { metrics.duplicateCount += 1 }
    underWay[key, default: 0] += 1
    inside += 1
    metrics.highestConcurrency = max(metrics.highestConcurrency, inside)
    attempts[key, default: 0] += 1
    return attempts[key, default: 0] - 1
  }

  fileprivate mutating func leave(_ key: String, sent bytes: Int?, error: CoverError?) {
    underWay[key, default: 1] -= 1
    inside -= 1
    if let bytes {
      sent.insert(key)
      metrics.byteCount += bytes
    }
    switch error {
    case .overloaded: metrics.overloadCount += 1
    case .some: metrics.failureCount += 1
    case nil: break
    }
  }
}
