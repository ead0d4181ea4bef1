import PerfModel
import PerfStatistics

extension TestRuns {
  /// Compares runs "a" and "b" with these values, in which the metrics of `gate` decide.
  static func compare(
    _ base: [String: [Double]], _ candidate: [String: [Double]],
    gate: [String: Scenario.Margin?] = [:]
  ) throws -> Comparison {
    try RunComparer(policy: Scenario.GatePolicy(metrics: gate)).compare(
      TestRuns.run(base, id: "a"), TestRuns.run(candidate, id: "b"))
  }
}
