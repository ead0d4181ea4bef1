/// The rule for retrying loads that failed temporarily.
///
/// The delays double, so that an unavailable server gets fewer and fewer requests. Random jitter
/// separates loads that failed together. A delay that the server asks for takes precedence when it
/// is longer.
public struct RetryPolicy: Hashable, Sendable {
  /// The number of retries; three in the case studies.
  public var retries = 3
  /// The delay before the first retry, doubled for each further one: 1, 2, 4 s.
  public var firstDelay = Duration.seconds(1)
  /// The largest random extension of a delay, as a fraction of it.
  public var jitter = 0.25
  /// The longest delay that a server may ask for; beyond it the load fails.
  public var longestDelay = Duration.seconds(300)
  /// The seed of the jitter.
  public var seed: UInt64 = 0

  /// Creates the case studies' policy: retries after 1, 2 and 4 s, each up to 25 % later.
  public init() {}

  /// The policy that never retries.
  public static let never: RetryPolicy = {
    var policy = RetryPolicy()
    policy.retries = 0
    return policy
  }()

  /// Returns the delay before a retry; nil when the load has failed permanently.
  ///
  /// It is at least ``firstDelay`` times 2^(attempts - 1), and at least the server's delay. The
  /// jitter depends on the cover's name and not on other loads.
  public func delay(afterAttempts attempts: Int, error: CoverError, key: String) -> Duration? {
    guard error.isTransient, attempts <= retries else { return nil }
    var random = SeededRandom(seed: seed ^ (key.cacheHash &+ UInt64(attempts)))
    let own = firstDelay * Double(1 << (attempts - 1))
    let asked = error.retryAfter ?? .zero
    guard asked <= longestDelay else { return nil }
    // The server's delay is also extended by jitter, but never shortened.
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

  /// Whether the picture itself is the cause, so that fetching it again gives the same error.
  public var isPermanent: Bool {
    switch self {
    case .unsupported, .tooLarge: true
    default: false
    }
  }

  /// Whether the bytes are no whole JPEG, as after an interrupted download.
  var isOfBytes: Bool {
    switch self {
    case .damaged, .notJPEG: true
    default: false
    }
  }

  /// The pause that the server asked for; nil when it asked for none.
  public var retryAfter: Duration? {
    if case .overloaded(_, let time) = self { time } else { nil }
  }
}
