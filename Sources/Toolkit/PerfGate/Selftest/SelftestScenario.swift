internal import PerfModel
internal import PerfScenario

/// The scenario of a selftest, with a variant for each injected change.
///
/// The scenario has no file in a folder, so that a gate of all scenarios does not measure it.
enum SelftestScenario {
  /// The worker's default number of steps per millisecond, from which the calibration starts.
  static let speed = 400_000

  /// Returns the scenario as a file.
  ///
  /// - Throws: `ScenarioError`.
  static func file() throws -> ScenarioFile {
    let variants = InjectedChange.all.map { "  \($0.name): { \(parameter(of: $0)) }\n" }.joined()
    return try ScenarioFile(
      text: """
        scenario: selftest
        summary: Work of a known amount, with a change of known size.
        workload: selftest.work
        worker: BookWorkloads
        parameters: { speed: \(speed), delayed_frames: 3 }
        variants:
        \(variants)default_variant: \(InjectedChange.nothing.name)
        iterations: 8
        warmup: 1
        timeout: 60s
        """, path: "selftest.yml")
  }

  private static func parameter(of change: InjectedChange) -> String {
    switch change.kind {
    case .nothing: "cpu_percent: 0"
    case .cpuTime: "cpu_percent: \(change.size * 100)"
    case .memory: "memory_percent: \(change.size * 100)"
    case .frames: "frame_delay: \(change.size / 1e6)"
    }
  }
}
