internal import PerfModel
internal import PerfScenario

/// The scenario of a selftest: one workload of the worker that comes with the command.
///
/// It stands in no folder: a gate of all scenarios must not measure it.
enum SelftestScenario {
  /// The steps of a millisecond as the worker takes it by itself; the calibration starts from here.
  static let speed = 400_000

  /// The scenario with a variant for each change.
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
