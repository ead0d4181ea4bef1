public import PerfModel

/// The choice of the metrics that decide a comparison.
public enum GatingMetrics {
  /// The gating metrics if neither the gate nor a budget names one.
  public static let fallback = [MetricName.wall, MetricName.cpuTotal, MetricName.rssPeak]

  /// Returns the names of the gating metrics.
  ///
  /// These are the metrics of the gate in alphabetical order; without a gate the metrics with a
  /// budget; without budgets the measured metrics of `fallback`. A metric without a better direction
  /// never gates.
  ///
  /// - Parameters:
  ///   - policy: The gate policy of the scenario.
  ///   - budgets: The budgets of the candidate.
  ///   - definitions: The measured metrics. A metric of the gate or of a budget is returned even if
  ///     it was not measured: it is missing evidence.
  /// - Returns: Names without duplicates.
  public static func names(
    _ policy: Scenario.GatePolicy, budgets: [Budget], definitions: [MetricDefinition]
  ) -> [String] {
    let neutral = Set(definitions.filter { $0.direction == .neutral }.map(\.name))
    var seen = neutral
    let named = policy.metrics.isEmpty ? budgets.map(\.metric) : policy.metrics.keys.sorted()
    guard named.isEmpty else { return named.filter { seen.insert($0).inserted } }
    return fallback.filter { name in definitions.contains { $0.name == name } }
  }

  /// Returns a warning about gating metrics that were not measured; nil if there are none.
  static func warning(missing names: [String]) -> RunWarning? {
    guard !names.isEmpty else { return nil }
    return RunWarning(
      code: "comparison.metric_missing",
      message: names.count == 1
        ? "the gating metric \(names[0]) was not measured"
        : "the gating metrics \(names.joined(separator: ", ")) were not measured",
      remedy: "Remove them from the gate, or measure again with a worker that reports them.")
  }
}
