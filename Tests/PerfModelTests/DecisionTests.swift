import PerfModel
import Testing

/// What a decision accepts of a later comparison.
struct DecisionTests {
  private static func metric(
    _ estimate: Double, verdict: ComparisonVerdict = .regressed,
    direction: Direction = .lower
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: "cpu.total", dimension: .time, direction: direction, scale: .ratio,
        summary: "CPU time."), base: 100, candidate: 100 * (1 + estimate), ratio: 1 + estimate,
      estimate: estimate, low: estimate - 0.03, high: estimate + 0.03, p: 0.001, n: (11, 11),
      margin: 0.02, isGating: true, verdict: verdict)
  }

  private static func comparison(
    _ metric: MetricComparison, base: String? = "abc", variant: String = "naive"
  ) -> Comparison {
    func side(_ commit: String?) -> Comparison.Side {
      Comparison.Side(
        run: "r1", scenario: "scroll", variant: variant, label: nil, commit: commit,
        started: Timestamp(milliseconds: 0))
    }
    return Comparison(
      id: "c1", base: side(base), candidate: side("def"), alpha: 0.02, seed: 1,
      metrics: [metric], functions: [], environmentDifferences: [], warnings: [],
      verdict: metric.verdict)
  }

  private static func decision(
    _ metric: MetricComparison, outcome: Decision.Outcome = .kept
  ) -> Decision {
    Decision(
      comparison(metric), sentence: "Regressed.", outcome: outcome, hypothesis: "", change: "",
      because: "Covers are sharp now.", decided: Timestamp(milliseconds: 0))
  }

  private static func accepts(
    _ decision: Decision, _ metric: MetricComparison, base: String? = "abc",
    variant: String = "naive"
  ) -> Bool {
    decision.accepts(metric, of: comparison(metric, base: base, variant: variant))
  }

  @Test func `what was kept is accepted until the metric moves again`() {
    // Accepted was 10 % with an interval up to 13 %; with the margin of 2 % that makes 15 %.
    let kept = Self.decision(Self.metric(0.10))
    #expect(Self.accepts(kept, Self.metric(0.10)))
    #expect(Self.accepts(kept, Self.metric(0.149)))
    #expect(!Self.accepts(kept, Self.metric(0.151)))
    // Less of it is accepted as well.
    #expect(Self.accepts(kept, Self.metric(0.04)))
  }

  @Test func `what is better high moves the other way`() {
    // Accepted was -10 % with an interval down to -13 %: with the margin that makes -15 %.
    let kept = Self.decision(Self.metric(-0.10, direction: .higher))
    #expect(Self.accepts(kept, Self.metric(-0.149, direction: .higher)))
    #expect(!Self.accepts(kept, Self.metric(-0.151, direction: .higher)))
  }

  @Test func `a decision speaks of its own base, variant and regression alone`() {
    let metric = Self.metric(0.10)
    let kept = Self.decision(metric)
    #expect(!Self.accepts(kept, metric, base: "another"))
    #expect(!Self.accepts(kept, metric, base: nil))
    #expect(!Self.accepts(kept, metric, variant: "optimised"))
    #expect(!Self.accepts(Self.decision(metric, outcome: .reverted), metric))
    #expect(!Self.accepts(Self.decision(metric, outcome: .noEffect), metric))
    #expect(!Self.accepts(Self.decision(Self.metric(0.10, verdict: .inconclusive)), metric))
  }
}
