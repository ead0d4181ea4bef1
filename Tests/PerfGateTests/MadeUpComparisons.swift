import PerfModel

@testable import PerfGate

/// Comparisons of made-up metrics.
enum MadeUpComparisons {
  static let regressed = metric("wall", 0.10, .regressed)
  static let equivalent = metric("cpu.total", 0, .equivalent)

  /// Returns a gating metric whose interval ends 0.01 to either side of the estimate.
  static func metric(
    _ name: String, _ estimate: Double, _ verdict: ComparisonVerdict, failures: Int = 0
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: name, dimension: .time, direction: .lower, scale: .ratio, summary: "A time."),
      base: 1e6, candidate: 1e6 * (1 + estimate), ratio: 1 + estimate, estimate: estimate,
      low: estimate - 0.01, high: estimate + 0.01, p: 0.001, n: (11, 11), worst: 0.05, margin: 0.02,
      isGating: true, verdict: verdict, decidedAt: 11, failures: failures)
  }

  /// Returns a comparison; without a verdict it is regressed if a metric is, else inconclusive.
  static func comparison(
    _ metrics: [MetricComparison], _ verdict: ComparisonVerdict? = nil, sessions: Int? = nil,
    differing: [Environment.Difference] = [], warnings: [RunWarning] = []
  ) -> Comparison {
    let side = Comparison.Side(
      run: "r1", scenario: "work", variant: "default", label: nil, commit: "abc",
      started: Timestamp(milliseconds: 0))
    return Comparison(
      id: "c1", base: side, candidate: side, alpha: 0.02, seed: 1,
      sessions: sessions, metrics: metrics, functions: [], environmentDifferences: differing,
      warnings: warnings,
      verdict: verdict
        ?? (metrics.contains { $0.verdict == .regressed } ? .regressed : .inconclusive))
  }

  /// Returns a comparison of metrics, and a ledger whose decision 4 accepts the named ones.
  static func judged(
    _ metrics: [MetricComparison], accepting names: [String], missing: [String] = [],
    warnings: [RunWarning] = []
  ) -> GateComparison {
    let comparison = Self.comparison(metrics, warnings: warnings)
    var decision = Decision(
      Self.comparison(metrics.filter { names.contains($0.definition.name) }), sentence: "",
      outcome: .kept, hypothesis: "", change: "", because: "It looks better.",
      decided: Timestamp(milliseconds: 0))
    decision.number = 4
    return GateComparison(
      comparison, gating: metrics.map(\.definition.name) + missing, ledger: [decision])
  }

  /// Returns the report of a gate with one comparison.
  static func report(_ comparison: GateComparison) -> GateReport {
    let status = PerfGate.ExitStatus(comparison.rest.verdict)
    return GateReport(
      results: [
        GateResult(
          subject: "work:default", summary: nil, comparison: comparison, note: "comparison c1",
          status: status)
      ], status: status, scenarios: "Scenarios")
  }
}
