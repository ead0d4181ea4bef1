public import PerfModel

/// The choice of the metrics that decide a comparison.
public enum GatingMetrics {
  /// The gating metrics if neither the gate nor a budget names one.
  public static let fallback = [MetricName.wall, MetricName.cpuTotal, MetricName.rssPeak]

  /// Returns the names of the gating metrics, without duplicates.
  ///
  /// These are the metrics of the gate in alphabetical order; without a gate the metrics with a
  /// budget; without budgets the measured metrics of `fallback`. A metric of the gate or of a
  /// budget gates even if it was not measured: it is missing evidence. A metric without a better
  /// direction never gates, nor does a counted metric with a budget in launches that are not counted.
  public static func names(
    _ policy: Scenario.GatePolicy, budgets: [Budget], definitions: [MetricDefinition]
  ) -> [String] {
    let neutral = Set(definitions.filter { $0.direction == .neutral }.map(\.name))
    var seen = neutral
    let named =
      policy.metrics.isEmpty
      ? budgets.filter { budget in
        !budget.isOfWork || definitions.contains { $0.name == budget.metric }
      }.map(\.metric) : policy.metrics.keys.sorted()
    guard named.isEmpty else { return named.filter { seen.insert($0).inserted } }
    return fallback.filter { name in definitions.contains { $0.name == name } }
  }

  /// The code of the warning that a gating metric was not measured.
  static let missingCode = "comparison.metric_missing"

  static func warnings(missing names: [String]) -> [RunWarning] {
    guard !names.isEmpty else { return [] }
    return [
      RunWarning(
        code: missingCode,
        message: names.count == 1
          ? "the gating metric \(names[0]) was not measured"
          : "the gating metrics \(names.joined(separator: ", ")) were not measured",
        remedy: "Remove them from the gate, or measure again with a worker that reports them.")
    ]
  }
}
