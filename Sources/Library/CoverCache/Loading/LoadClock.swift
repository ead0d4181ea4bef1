internal import Dispatch
internal import Glibc

/// The clock that loads wait by: real, accelerated, or controlled by a test.
public struct LoadClock: Sendable {
  /// Returns the time since an arbitrary moment.
  public let now: @Sendable () -> Duration
  /// Calls a function once, after a delay, on any thread.
  public let call: @Sendable (_ after: Duration, _ body: @escaping @Sendable () -> Void) -> Void
  /// Blocks the calling thread for a time.
  public let sleep: @Sendable (_ time: Duration) -> Void

  /// Creates a clock whose time never decreases.
  public init(
    now: @escaping @Sendable () -> Duration,
    call: @escaping @Sendable (_ after: Duration, _ body: @escaping @Sendable () -> Void) -> Void,
    sleep: @escaping @Sendable (_ time: Duration) -> Void
  ) {
    self.now = now
    self.call = call
    self.sleep = sleep
  }

  /// The system's monotonic clock.
  public static let system = LoadClock.scaled(by: 1)

  /// Returns a clock for simulations that runs `factor` seconds, more than 0, per real second.
  public static func scaled(by factor: Double) -> LoadClock {
    precondition(factor > 0, "the factor of a clock must be positive")
    return LoadClock(
      now: {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Duration(time) * factor
      },
      call: { delay, body in
        let nanoseconds = Int((delay / factor).seconds * 1e9)
        DispatchQueue.global().asyncAfter(
          deadline: .now() + .nanoseconds(nanoseconds), execute: body)
      },
      sleep: { time in
        var left = timespec(time / factor)
        withUnsafeMutablePointer(to: &left) { left in
          while nanosleep(left, left) != 0, errno == EINTR {}
        }
      })
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
