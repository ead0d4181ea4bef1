/// The part of `--max-time` that one of several measurements may take.
struct TimeShare {
  /// How long it is; nil without a limit.
  let time: Duration?
  private let clock: MeasuringClock
  private let began: Duration

  /// Deals out what is left of the time evenly.
  ///
  /// - Parameters:
  ///   - measuring: With the limit, and the clock that counts.
  ///   - count: How many measurements are left, this one included.
  init(of measuring: Measuring, among count: Int) {
    time = measuring.timeLeft.map { $0 / max(count, 1) }
    clock = measuring.clock
    began = clock.elapsed
  }

  /// Whether it is spent.
  var isOver: @Sendable () -> Bool {
    let (time, clock, began) = (time, clock, began)
    return { time.map { clock.elapsed - began > $0 } ?? false }
  }
}
