public import PerfModel

/// Warnings about other load on the machine during the launches of a run.
///
/// Disturbed launches are reported but never excluded: that would also exclude the launches of a
/// program that overloads the machine.
public enum Disturbance {
  /// A kind of disturbance with the share of the time from which a launch counts as disturbed.
  private struct Kind {
    /// The metrics in order of preference; the first available metric is used.
    ///
    /// `parts` are the parts that the metric sums, so that it can exceed the duration.
    let metrics: [(name: String, parts: String?)]
    /// The metric with the duration of counting, which is longer than the launch's wall time.
    let window: String
    let share: Double
    let code: String
    let effect: String
  }

  private static let kinds = [
    Kind(
      metrics: [(MetricName.steal, "all CPUs together")], window: MetricName.stealWindow,
      share: 0.02, code: "machine.steal", effect: "the host gave CPU time to other machines for"),
    // The main thread's delay is preferred, because worker threads may wait for each other.
    Kind(
      metrics: [(MetricName.frameRunDelay, nil), (MetricName.runDelay, "all threads together")],
      window: MetricName.runDelayWindow, share: 0.1, code: "machine.run_delay",
      effect: "threads were ready but had no CPU for"),
    Kind(
      metrics: [(MetricName.psiMemory, nil)], window: MetricName.psiWindow, share: 0.02,
      code: "machine.memory_pressure", effect: "tasks waited for memory for"),
  ]

  /// Returns a warning for each kind that affected at least a quarter of the complete launches.
  public static func warnings(of run: Run) -> [RunWarning] {
    kinds.compactMap { kind in
      let launches = run.measured
      let known = kind.metrics.first { metric in
        launches.contains { $0.metrics[metric.name] != nil }
      }
      guard let metric = known else { return nil }
      let shares = launches.compactMap { share(of: metric.name, within: kind.window, in: $0) }
      let hit = shares.filter { $0 >= kind.share }
      guard !hit.isEmpty, 4 * hit.count >= shares.count else { return nil }
      let most = NumberFormat.human(((shares.max() ?? 0) * 1000).rounded() / 1000, .ratio)
      return RunWarning(
        code: kind.code,
        message: "in \(hit.count) of \(shares.count) launches, \(kind.effect) at least "
          + "\(NumberFormat.human(kind.share, .ratio)) of the time, up to \(most)"
          + (metric.parts.map { " (\($0))" } ?? ""),
        remedy: "Measure on a quieter machine; see 'perfkit doctor'. No launch was excluded.")
    }
  }

  /// Returns the share of the time that was disturbed; nil if it is unknown.
  private static func share(
    of metric: String, within window: String, in launch: Launch
  ) -> Double? {
    guard let time = launch.metrics[metric],
      let window = launch.metrics[window] ?? launch.metrics[MetricName.wall]
    else { return nil }
    if window > 0 { return time / window }
    // The counter's clock did not advance.
    return time == 0 ? 0 : nil
  }
}
