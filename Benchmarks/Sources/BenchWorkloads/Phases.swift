internal import PerfWorkload

/// Frames whose phases take known shares of their time.
final class Phases: Workload {
  static let name = "bench.phases"
  static let summary = "Frames of 67 % layout, 18 % gradient, 12 % decode and 3 % other work."
  static let parameters: [ParameterDeclaration] = [
    .double("seconds", default: 2, in: 0.01...3600, "Length of the animation."),
    .double("refresh", default: 60, in: 1...1000, "Refresh rate in hertz."),
    .bool("paced", default: false, "Whether the loop waits for each refresh."),
  ]

  private let seconds: Double
  private let clock: FrameClock
  private var digest = Digest(state: 88_172_645_463_325_252)

  init(_ context: PreparationContext) throws {
    seconds = try context.parameters.double("seconds")
    clock = FrameClock(
      refresh: try context.parameters.double("refresh"),
      paced: try context.parameters.bool("paced"))
  }

  func measure(_ context: MeasurementContext) throws {
    clock.animate("bench", for: .seconds(seconds)) { frame in
      frame.phase("layout") { layout() }
      frame.phase("gradient") { gradient() }
      frame.phase("decode") { decode() }
      frame.phase("other") { other() }
    }
  }

  // One body in four functions, so that the counts are the shares. A frame is about 5 ms.
  private static let share = 28_000

  @inline(never) private func layout() { _ = digest.churn(67 * Self.share) }
  @inline(never) private func gradient() { _ = digest.churn(18 * Self.share) }
  @inline(never) private func decode() { _ = digest.churn(12 * Self.share) }
  @inline(never) private func other() { _ = digest.churn(3 * Self.share) }
}
