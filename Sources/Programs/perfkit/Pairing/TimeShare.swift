/// The part of `--max-time` that one of several measurements may take.
struct TimeShare {
  private let deadline: ContinuousClock.Instant?

  /// Deals out what is left of the time evenly.
  init(of measuring: Measuring, among count: Int) {
    deadline = measuring.timeLeft.map { .now + $0 / max(count, 1) }
  }

  /// Whether it is spent.
  var isOver: @Sendable () -> Bool {
    let deadline = deadline
    return { deadline.map { ContinuousClock.now > $0 } ?? false }
  }
}
