public import PerfModel

/// Warnings about other load on the machine during the launches of a run.
///
/// Disturbed launches are reported but never excluded: that would also exclude the launches of a
/// program that overloads the machine.
public enum Disturbance {
  /// A metric that shows a disturbance.
  private struct Measure {
    let metric: String
    /// The metric with the duration of counting, which is longer than the launch's wall time.
    let window: String
    /// The parts that the metric sums, so that it can exceed the duration; nil if it cannot.
    let parts: String?
  }

  /// A kind of disturbance with the share of the time from which a launch counts as disturbed.
  private struct Kind {
    /// The metrics in order of preference; the first available metric is used.
    let measures: [Measure]
    let share: Double
    let code: String
    let effect: String
  }

  private static let kinds = [
    Kind(
      measures: [
        Measure(
          metric: MetricName.steal, window: MetricName.stealWindow, parts: "all CPUs together")
      ],
      share: 0.02, code: "machine.steal", effect: "the host gave CPU time to other machines for"),
    // The main thread's delay is preferred, because worker threads may wait for each other.
    Kind(
      measures: [
        Measure(metric: MetricName.frameRunDelay, window: MetricName.runDelayWindow, parts: nil),
        Measure(
          metric: MetricName.runDelay, window: MetricName.runDelayWindow,
          parts: "all threads together"),
      ], share: 0.1, code: "machine.run_delay", effect: "threads were ready but had no CPU for"),
    Kind(
      measures: [Measure(metric: MetricName.psiMemory, window: MetricName.psiWindow, parts: nil)],
      share: 0.02, code: "machine.memory_pressure", effect: "tasks waited for memory for"),
  ]

  /// Returns the warnings about disturbances of a run.
  ///
  /// - Parameter run: The run; incomplete launches are ignored.
  /// - Returns: A warning for each kind that affected at least a quarter of the launches.
  public static func warnings(of run: Run) -> [RunWarning] {
    kinds.compactMap { kind in
      let launches = run.measured
      let known = kind.measures.first { measure in
        launches.contains { $0.metrics[measure.metric] != nil }
      }
      guard let measure = known else { return nil }
      let shares = launches.compactMap { share(of: measure, in: $0) }
      let hit = shares.filter { $0 >= kind.share }
      guard !hit.isEmpty, 4 * hit.count >= shares.count else { return nil }
      let most = NumberFormat.human(((shares.max() ?? 0) * 1000).rounded() / 1000, .ratio)
      return RunWarning(
        code: kind.code,
        message: "in \(hit.count) of \(shares.count) launches, \(kind.effect) at least "
          + "\(NumberFormat.human(kind.share, .ratio)) of the time, up to \(most)"
          + (measure.parts.map { " (\($0))" } ?? ""),
        remedy: "Measure on a quieter machine; see 'perfkit doctor'. No launch was excluded.")
    }
  }

  /// Returns the share of the time that was disturbed; nil if it is unknown.
  private static func share(of measure: Measure, in launch: Launch) -> Double? {
    guard let time = launch.metrics[measure.metric],
      let window = launch.metrics[measure.window] ?? launch.metrics[MetricName.wall]
    else { return nil }
    if window > 0 { return time / window }
    // The counter's clock did not advance.
    return time == 0 ? 0 : nil
  }
}
