internal import PerfModel

/// The gating metrics of a comparison of stored runs, and the error that each may have.
struct GatingPlan {
  let names: [String]
  /// The two-sided error probability of one metric.
  let level: Double

  /// Plans a comparison; `count` is the number of gating metrics of the whole invocation, if known.
  init(
    _ policy: Scenario.GatePolicy, count: Int?, budgets: [Budget], definitions: [MetricDefinition]
  ) {
    names = GatingMetrics.names(policy, budgets: budgets, definitions: definitions)
    level = RunComparer.alpha / Double(max(count ?? names.count, 1))
  }

  func ordered(_ metrics: [MetricComparison]) -> [MetricComparison] {
    metrics.filter(\.isGating) + metrics.filter { !$0.isGating }
  }

  func missing(from metrics: [MetricComparison]) -> [String] {
    names.filter { name in !metrics.contains { $0.definition.name == name } }
  }

  /// Returns the verdict of a comparison; a missing gating metric counts as inconclusive.
  func verdict(_ metrics: [MetricComparison], isVoid: Bool) -> ComparisonVerdict {
    Verdicts.together(
      metrics.filter(\.isGating).map(\.verdict) + missing(from: metrics).map { _ in .inconclusive },
      isVoid: isVoid)
  }
}
