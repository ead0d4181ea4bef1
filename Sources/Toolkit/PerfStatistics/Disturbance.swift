public import PerfModel

/// What took CPUs and memory from the launches of a run.
///
/// It is told, and nothing is left out because of it: to drop the launches that were disturbed
/// would drop those of a program that brings the machine to its knees.
public enum Disturbance {
  /// From which share of its wall time on a launch counts as disturbed.
  private struct Kind {
    let metrics: [String]
    let share: Double
    let code: String
    let what: String
  }

  private static let kinds = [
    Kind(
      metrics: ["steal"], share: 0.02, code: "machine.steal",
      what: "the host gave CPU time to other machines for"),
    // The main thread's where it is known: loaders wait for each other by their own doing.
    Kind(
      metrics: ["frame.run_delay", "run_delay"], share: 0.1, code: "machine.run_delay",
      what: "threads were ready but had no CPU for"),
    Kind(
      metrics: ["psi.memory"], share: 0.02, code: "machine.memory_pressure",
      what: "tasks waited for memory for"),
  ]

  /// Returns what a reader must know of the machine while a run was made.
  ///
  /// - Parameter run: The run; launches that did not complete say nothing.
  /// - Returns: A warning for each kind of disturbance that hit one launch in four or more.
  public static func warnings(of run: Run) -> [RunWarning] {
    kinds.compactMap { kind in
      let shares = run.measured.compactMap { launch -> Double? in
        guard let wall = launch.metrics["wall"], wall > 0,
          let time = kind.metrics.lazy.compactMap({ launch.metrics[$0] }).first
        else { return nil }
        return time / wall
      }
      let hit = shares.filter { $0 >= kind.share }
      guard !hit.isEmpty, 4 * hit.count >= shares.count else { return nil }
      let most = NumberFormat.human(((shares.max() ?? 0) * 1000).rounded() / 1000, .ratio)
      return RunWarning(
        code: kind.code,
        message: "in \(hit.count) of \(shares.count) launches \(kind.what) "
          + "\(NumberFormat.human(kind.share, .ratio)) of the time or more, at most \(most)",
        remedy: "Measure on a quieter machine; see 'perfkit doctor'. No launch was left out.")
    }
  }
}
