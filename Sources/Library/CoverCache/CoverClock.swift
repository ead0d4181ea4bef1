internal import Glibc

/// The time of day, which tests set themselves.
public struct CoverClock: Sendable {
  /// Returns the time since 1970-01-01 00:00 UTC.
  public let now: @Sendable () -> Duration

  /// Makes a clock.
  ///
  /// - Parameter now: Returns the time since 1970-01-01 00:00 UTC; called on any thread.
  public init(now: @escaping @Sendable () -> Duration) {
    self.now = now
  }

  /// The clock of the machine.
  public static let system = CoverClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Duration(time)
  }
}

extension Duration {
  /// The time that a C structure holds.
  init(_ time: timespec) {
    self = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension timespec {
  /// The C structure for a time, cut to whole nanoseconds.
  init(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }
}
