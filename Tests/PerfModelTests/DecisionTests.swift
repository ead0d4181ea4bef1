import PerfModel
import Testing

/// The regressions that a decision accepts.
struct DecisionTests {
  private static func metric(
    _ estimate: Double, verdict: ComparisonVerdict = .regressed,
    direction: Direction = .lower, half: Double = 0.03
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: "cpu.total", dimension: .time, direction: direction, scale: .ratio,
        summary: "CPU time."), base: 100, candidate: 100 * (1 + estimate), ratio: 1 + estimate,
      estimate: estimate, low: estimate - half, high: estimate + half, p: 0.001, n: (11, 11),
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
    _ metric: MetricComparison, outcome: Decision.Resolution = .kept
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

  @Test func `a kept regression is accepted until the metric moves further`() {
    // The accepted change is 10 %; the margin is 2 %.
    let kept = Self.decision(Self.metric(0.10, half: 0.09))
    #expect(Self.accepts(kept, Self.metric(0.10)))
    #expect(Self.accepts(kept, Self.metric(0.119, half: 0.001)))
    #expect(!Self.accepts(kept, Self.metric(0.13, half: 0.001)))
    // The accepted change is 15 times; 15.2 times is 1.3 % more than that.
    let large = Self.decision(Self.metric(14))
    #expect(Self.accepts(large, Self.metric(14.2, half: 0.01)))
    #expect(!Self.accepts(large, Self.metric(14.4, half: 0.01)))
    // The interval contains the accepted estimate.
    #expect(Self.accepts(kept, Self.metric(0.129)))
    #expect(!Self.accepts(kept, Self.metric(0.131)))
    // A smaller regression is accepted as well.
    #expect(Self.accepts(kept, Self.metric(0.04)))
  }

  @Test func `a wide accepted interval does not accept a larger regression`() {
    // The accepted interval ended at 33.3 %, and the margin is 2 %.
    let kept = Self.decision(Self.metric(0.198, half: 0.135))
    #expect(!Self.accepts(kept, Self.metric(0.317, half: 0.045)))
  }

  @Test func `a metric that should be high is judged in the other direction`() {
    let kept = Self.decision(Self.metric(-0.10, direction: .higher))
    #expect(Self.accepts(kept, Self.metric(-0.129, direction: .higher)))
    #expect(!Self.accepts(kept, Self.metric(-0.131, direction: .higher)))
  }

  @Test func `a moved decision applies to its new base`() {
    let metric = Self.metric(0.10)
    let moved = Self.decision(metric).moved(to: "fed")
    #expect(Self.accepts(moved, metric, base: "fed"))
    #expect(!Self.accepts(moved, metric, base: "abc"))
    #expect(moved.base.run == "r1" && moved.base.variant == "naive")
  }

  @Test func `a decision accepts only its own base, variant and regression`() {
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
