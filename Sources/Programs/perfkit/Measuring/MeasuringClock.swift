internal import Synchronization

/// The time that `--max-time` limits: that of measuring, without what is built before it or between.
final class MeasuringClock: Sendable {
  private let now: @Sendable () -> ContinuousClock.Instant
  private let began: ContinuousClock.Instant
  private let leftOut = Mutex(Duration.zero)

  /// Starts it.
  ///
  /// - Parameter now: What tells the time.
  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
    began = now()
  }

  /// The time since it was started, without what was left out.
  var elapsed: Duration { began.duration(to: now()) - built }

  /// What was left out.
  var built: Duration { leftOut.withLock { $0 } }

  /// Does something whose time does not count.
  func leavingOut<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = now()
    defer { leftOut.withLock { $0 += start.duration(to: now()) } }
    return try body()
  }
}
