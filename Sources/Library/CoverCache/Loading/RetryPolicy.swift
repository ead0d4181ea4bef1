/// When a load that failed for the moment is tried again.
///
/// The waits double, so that a server which is down is asked less and less; chance spreads them, so
/// that loads which failed together do not come back together. What the server says itself counts more.
public struct RetryPolicy: Hashable, Sendable {
  /// How often a load is tried again; the case studies' three times.
  public var retries = 3
  /// The wait before the first retry; each further one is twice as long: 1, 2, 4 s.
  public var firstDelay = Duration.seconds(1)
  /// How much longer a wait may be by chance, as a part of it.
  public var jitter = 0.25
  /// The longest wait that is agreed to when a server asks for one; a load that is to wait longer
  /// fails.
  public var longestDelay = Duration.seconds(300)
  /// What chance is drawn from.
  public var seed: UInt64 = 0

  /// Makes the case studies' policy: after 1, 2 and 4 s, and up to a quarter more.
  public init() {}

  /// Tries nothing again.
  public static let never: RetryPolicy = {
    var policy = RetryPolicy()
    policy.retries = 0
    return policy
  }()

  /// Returns how long to wait before a load is tried again; nil when it has failed for good.
  ///
  /// - Parameters:
  ///   - attempts: How often it was tried, from 1.
  ///   - error: What went wrong the last time.
  ///   - key: The name of the cover: its waits depend on it and not on what else is loaded.
  /// - Returns: At least ``firstDelay`` times 2^(attempts - 1), and at least what the server asked for.
  public func delay(afterAttempts attempts: Int, error: CoverError, key: String) -> Duration? {
    guard error.isTransient, attempts <= retries else { return nil }
    var random = SeededRandom(seed: seed ^ (key.cacheHash &+ UInt64(attempts)))
    let own = firstDelay * Double(1 << (attempts - 1))
    let asked = error.retryAfter ?? .zero
    guard asked <= longestDelay else { return nil }
    // Also what the server asked for is spread, but never shortened.
    return max(own, asked) * (1 + jitter * random.unit())
  }
}

extension CoverError {
  /// Whether the same load may succeed a little later.
  public var isTransient: Bool {
    switch self {
    case .unreachable, .overloaded: true
    default: false
    }
  }

  /// How long the server wants to be left alone; nil when it has not said.
  public var retryAfter: Duration? {
    if case .overloaded(_, let time) = self { time } else { nil }
  }
}
