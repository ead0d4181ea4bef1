internal import Synchronization

/// The clock of `--max-time`: it counts measuring, and stands still while revisions are built.
public final class MeasuringClock: Sendable {
  private let now: @Sendable () -> ContinuousClock.Instant
  private let began: ContinuousClock.Instant
  private let excluded = Mutex(Duration.zero)

  /// Creates a clock that starts now.
  ///
  /// - Parameter now: Returns the time.
  public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
    began = now()
  }

  /// The time since the start, without the excluded time.
  var elapsed: Duration { began.duration(to: now()) - built }

  var built: Duration { excluded.withLock { $0 } }

  /// Calls a closure whose time does not count.
  func excluding<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = now()
    defer { excluded.withLock { $0 += start.duration(to: now()) } }
    return try body()
  }
}
