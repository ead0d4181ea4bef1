internal import Glibc

/// A clock for the time of day, which tests can replace.
public struct CoverClock: Sendable {
  /// Returns the time since 1970-01-01 00:00 UTC.
  public let now: @Sendable () -> Duration

  /// Creates a clock from a function that is called on any thread.
  public init(now: @escaping @Sendable () -> Duration) { self.now = now }

  /// The system clock.
  public static let system = CoverClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Duration(time)
  }
}

extension Duration {
  init(_ time: timespec) { self = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) }
}

extension timespec {
  /// Creates a C structure from a duration, truncated to whole nanoseconds.
  init(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }
}
