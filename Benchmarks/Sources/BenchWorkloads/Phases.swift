internal import PerfWorkload

/// Draws frames whose phases have known shares of the time.
final class Phases: Workload {
  static let name = "bench.phases"
  static let summary = "Draws frames of 67 % layout, 18 % gradient, 12 % decode and 3 % other work."
  static let seconds = Parameter(
    "seconds", default: 2.0, in: 0.01...3600, "Duration of the animation, in seconds.")
  static let refresh = Parameter("refresh", default: 60.0, in: 1...1000, "Refresh rate, in hertz.")
  static let paced = Parameter("paced", default: false, "Whether the loop waits for each refresh.")
  static let parameters: [any WorkloadParameter] = [seconds, refresh, paced]

  private let seconds: Double
  private let clock: FrameClock
  private var digest = Digest(state: 88_172_645_463_325_252)

  init(_ context: PreparationContext) throws {
    seconds = context[Self.seconds]
    clock = FrameClock(
      refresh: context[Self.refresh],
      paced: context[Self.paced])
  }

  func measure(_ context: MeasurementContext) throws {
    clock.animate("bench", for: .seconds(seconds)) { frame in
      frame.phase("layout") { layout() }
      frame.phase("gradient") { gradient() }
      frame.phase("decode") { decode() }
      frame.phase("other") { other() }
    }
  }

  // All four functions have the same body, so the counts are the shares. A frame takes about 5 ms.
  private static let share = 28_000

  @inline(never) private func layout() { _ = digest.churn(67 * Self.share) }
  @inline(never) private func gradient() { _ = digest.churn(18 * Self.share) }
  @inline(never) private func decode() { _ = digest.churn(12 * Self.share) }
  @inline(never) private func other() { _ = digest.churn(3 * Self.share) }
}
