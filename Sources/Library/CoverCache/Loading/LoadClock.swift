internal import Dispatch
internal import Glibc

/// The time that loads wait by: of the machine, faster than that, or as a test says.
public struct LoadClock: Sendable {
  /// Returns the time since an arbitrary moment.
  public let now: @Sendable () -> Duration
  /// Calls a function once, after some time, on any thread.
  public let call: @Sendable (_ after: Duration, _ body: @escaping @Sendable () -> Void) -> Void
  /// Keeps the calling thread waiting for some time.
  public let sleep: @Sendable (_ time: Duration) -> Void

  /// Makes a clock.
  ///
  /// - Parameters:
  ///   - now: Returns the time since an arbitrary moment; never goes back.
  ///   - call: Calls a function once, after some time, on any thread.
  ///   - sleep: Keeps the calling thread waiting for some time.
  public init(
    now: @escaping @Sendable () -> Duration,
    call: @escaping @Sendable (_ after: Duration, _ body: @escaping @Sendable () -> Void) -> Void,
    sleep: @escaping @Sendable (_ time: Duration) -> Void
  ) {
    self.now = now
    self.call = call
    self.sleep = sleep
  }

  /// The machine's clock.
  public static let system = LoadClock.scaled(by: 1)

  /// Returns a clock that goes faster than the machine's, for simulations.
  ///
  /// - Parameter factor: How many seconds pass in one; more than 0.
  /// - Returns: A clock whose waits are shorter by the factor.
  public static func scaled(by factor: Double) -> LoadClock {
    precondition(factor > 0, "a clock goes forward")
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
  /// The time in seconds.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
