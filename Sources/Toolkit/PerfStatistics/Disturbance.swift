public import PerfModel

/// Warnings about other load on the machine during the launches of a run.
///
/// Disturbed launches are reported but never excluded: that would also exclude the launches of a
/// program that overloads the machine. But a limit that only disturbed launches exceed is not known to be
/// exceeded.
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
    kinds.compactMap { warning(of: $0, in: run) }
  }

  private static func warning(of kind: Kind, in run: Run) -> RunWarning? {
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
      message: "the machine was disturbed: in \(hit.count) of \(shares.count) launches, "
        + "\(kind.effect) at least \(NumberFormat.human(kind.share, .ratio)) of the time, up to "
        + most + (metric.parts.map { " (\($0))" } ?? ""),
      remedy: "Measure on a quieter machine; see 'perfkit doctor'. No launch was excluded.")
  }

  /// The values of a metric that a disturbance can make worse.
  public struct Relief: Equatable, Sendable {
    /// The least values without the disturbance, one for each launch; empty if they are unknown.
    public let values: [Double]
    /// The disturbance in words.
    public let reason: String
  }

  /// The factor by which programs on the other threads of a core can slow a program down.
  ///
  /// Two threads of a core share its units, so that each has at least half of them.
  private static let coreSharing = 2.0

  /// Returns the least values that a metric may have had on a quiet machine.
  ///
  /// A time contains at most the time for which its launch was disturbed, and CPU time contains no waiting. The rest
  /// is at most twice as long as on a core without other programs. Sizes and exact counts do not change.
  ///
  /// - Returns: The values; nil if the run was not disturbed, or if a disturbance does not change the metric.
  public static func relief(of definition: MetricDefinition, in run: Run) -> Relief? {
    guard !definition.isDeterministic else { return nil }
    let found = kinds.compactMap { kind in
      warning(of: kind, in: run).map { (kind: kind, reason: $0.message) }
    }
    guard let reason = found.first?.reason else { return nil }
    switch definition.dimension {
    case .time:
      let waits = definition.name.hasPrefix("cpu.") ? [] : found.map(\.kind)
      let values = run.measured.compactMap { launch in
        launch.metrics[definition.name].map {
          max(0, $0 - time(of: waits, in: launch)) / coreSharing
        }
      }
      return Relief(values: values, reason: reason)
    case .timeRatio, .frequency: return Relief(values: [], reason: reason)
    // Frames that were late because the thread had no CPU.
    case .count where definition.name.hasPrefix("frame."): return Relief(values: [], reason: reason)
    case .count, .size, .ratio: return nil
    }
  }

  /// Returns the nanoseconds for which a launch was disturbed.
  private static func time(of kinds: [Kind], in launch: Launch) -> Double {
    kinds.reduce(0) { sum, kind in
      sum + (kind.metrics.compactMap { launch.metrics[$0.name] }.max() ?? 0)
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
