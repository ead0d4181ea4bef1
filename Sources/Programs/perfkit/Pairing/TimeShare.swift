/// The part of `--max-time` that one of several measurements may take.
struct TimeShare {
  /// How long it is; nil without a limit.
  let time: Duration?
  private let began = ContinuousClock.now

  /// Deals out what is left of the time evenly.
  init(of measuring: Measuring, among count: Int) {
    time = measuring.timeLeft.map { $0 / max(count, 1) }
  }

  /// Whether it is spent.
  var isOver: @Sendable () -> Bool {
    let (time, began) = (time, began)
    return { time.map { began.duration(to: .now) > $0 } ?? false }
  }
}
