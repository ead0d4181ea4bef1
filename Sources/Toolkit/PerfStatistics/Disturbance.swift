public import PerfModel

/// What took CPUs and memory from the launches of a run.
///
/// It is told, and nothing is left out because of it: to drop the launches that were disturbed
/// would drop those of a program that brings the machine to its knees.
public enum Disturbance {
  /// A counter that tells of a disturbance.
  private struct Measure {
    let metric: String
    /// How long it was counted: longer than a launch's wall time, which is the worker's own.
    let window: String
    /// What it adds up, so that it can be more than all of the time; nil when it cannot.
    let parts: String?
  }

  /// From which share of the time on a launch counts as disturbed.
  private struct Kind {
    /// The first that a run has counts.
    let measures: [Measure]
    let share: Double
    let code: String
    let what: String
  }

  private static let kinds = [
    Kind(
      measures: [
        Measure(
          metric: MetricName.steal, window: MetricName.stealWindow, parts: "all CPUs together")
      ],
      share: 0.02, code: "machine.steal", what: "the host gave CPU time to other machines for"),
    // The main thread's where it is known: loaders wait for each other by their own doing.
    Kind(
      measures: [
        Measure(metric: MetricName.frameRunDelay, window: MetricName.runDelayWindow, parts: nil),
        Measure(
          metric: MetricName.runDelay, window: MetricName.runDelayWindow,
          parts: "all threads together"),
      ], share: 0.1, code: "machine.run_delay", what: "threads were ready but had no CPU for"),
    Kind(
      measures: [Measure(metric: MetricName.psiMemory, window: MetricName.psiWindow, parts: nil)],
      share: 0.02, code: "machine.memory_pressure", what: "tasks waited for memory for"),
  ]

  /// Returns what a reader must know of the machine while a run was made.
  ///
  /// - Parameter run: The run; launches that did not complete say nothing.
  /// - Returns: A warning for each kind of disturbance that hit one launch in four or more.
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
        message: "in \(hit.count) of \(shares.count) launches \(kind.what) "
          + "\(NumberFormat.human(kind.share, .ratio)) of the time or more, at most \(most)"
          + (measure.parts.map { ", \($0)" } ?? ""),
        remedy: "Measure on a quieter machine; see 'perfkit doctor'. No launch was left out.")
    }
  }

  /// The share of the time that was counted; nil when it is not known.
  ///
  /// Launches of older runs say only how long they took themselves.
  private static func share(of measure: Measure, in launch: Launch) -> Double? {
    guard let time = launch.metrics[measure.metric],
      let window = launch.metrics[measure.window] ?? launch.metrics[MetricName.wall]
    else { return nil }
    if window > 0 { return time / window }
    // By its own ticks no time went by.
    return time == 0 ? 0 : nil
  }
}
