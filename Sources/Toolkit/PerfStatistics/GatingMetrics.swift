public import PerfModel

/// The metrics that decide.
public enum GatingMetrics {
  /// What gates when neither the gate nor a budget names a metric.
  public static let fallback = [MetricName.wall, MetricName.cpuTotal, MetricName.rssPeak]

  /// Returns the names of the metrics that gate.
  ///
  /// Those that the gate lists, in alphabetical order; without a list those with a budget; without
  /// budgets those of wall time, CPU time and the peak of the memory that were measured. A metric
  /// without a better side never gates.
  ///
  /// - Parameters:
  ///   - policy: Of the scenario.
  ///   - budgets: Of the candidate.
  ///   - definitions: What was measured. Of what the gate or a budget names all are returned, also
  ///     those that were not: they are missing evidence.
  /// - Returns: Names without repetition.
  public static func names(
    _ policy: Scenario.GatePolicy, budgets: [Budget], definitions: [MetricDefinition]
  ) -> [String] {
    let neutral = Set(definitions.filter { $0.direction == .neutral }.map(\.name))
    var seen = neutral
    let named = policy.metrics.isEmpty ? budgets.map(\.metric) : policy.metrics.keys.sorted()
    guard named.isEmpty else { return named.filter { seen.insert($0).inserted } }
    return fallback.filter { name in definitions.contains { $0.name == name } }
  }

  /// Returns the warning about gating metrics that were not measured, or nil.
  static func warning(missing names: [String]) -> RunWarning? {
    guard !names.isEmpty else { return nil }
    return RunWarning(
      code: "comparison.metric_missing",
      message: "the gating metrics \(names.joined(separator: ", ")) were not measured",
      remedy: "Remove them from the gate, or measure again with a worker that reports them.")
  }
}
