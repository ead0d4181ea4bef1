import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfGate

struct TryingRulesTests {
  private let campaign = Campaign(
    started: Timestamp(milliseconds: 0), scenario: "work", variant: nil, metric: "wall",
    margin: Scenario.Margin(relative: 0.01), start: Campaign.State(commit: "abc", name: "abc"))
  private let gate = Scenario.GatePolicy(
    metrics: ["rss.peak": Scenario.Margin(relative: 0.05), "wall": nil])

  private func objection(
    _ metrics: [MetricComparison], _ verdict: ComparisonVerdict, warnings: [RunWarning] = []
  ) -> String? {
    Trying.objection(
      to: MadeUpComparisons.comparison(metrics, verdict, warnings: warnings), campaign,
      guards: ["rss.peak"], gate)
  }

  @Test func `an improved metric is kept`() {
    #expect(objection([MadeUpComparisons.metric("wall", -0.03, .improved)], .improved) == nil)
  }

  @Test func `every other verdict is an objection`() {
    let wall = MadeUpComparisons.metric("wall", 0.03, .regressed)
    #expect(objection([wall], .regressed) == "wall rose by 3%")
    #expect(objection([], .equivalent) == "wall changed by less than the margin")
    #expect(objection([], .inconclusive) == "wall is not shown to improve")
    #expect(objection([], .void) == "the environments of both sides differ")
    let moved = RunWarning(
      code: PairedComparer.controlMoved, message: "the control parse moved", remedy: "")
    #expect(objection([], .void, warnings: [moved]) == "the control parse moved")
  }

  @Test func `a regressed gating metric is an objection from its own margin on`() {
    let wall = MadeUpComparisons.metric("wall", -0.03, .improved)
    func peak(_ change: Double) -> [MetricComparison] {
      [wall, MadeUpComparisons.metric("rss.peak", change, .regressed)]
    }
    #expect(objection(peak(0.06), .improved) == "rss.peak rose by 6%")
    #expect(objection(peak(0.04), .improved) == nil)
    let other = MadeUpComparisons.metric("faults.minor", 0.5, .regressed)
    #expect(objection([wall, other], .improved) == nil)
  }

  @Test func `more counted work is an objection to an improved time`() {
    var comparison = MadeUpComparisons.comparison(
      [MadeUpComparisons.metric("wall", -0.03, .improved)], .improved)
    let instructions = MadeUpComparisons.metric("work.instructions", 0.04, .regressed)
    comparison.work = WorkComparison(
      metrics: [instructions], functions: [], nondeterminism: .init(base: 0, candidate: 0),
      isDeterministic: true, isAlone: false, verdict: .regressed)
    let objection = Trying.objection(to: comparison, campaign, guards: ["rss.peak"], gate)
    #expect(objection == "work.instructions rose by 4%")
  }

  @Test func `a campaign keeps its metric and margin`() throws {
    func check(_ change: (inout Trying.Request) -> Void) throws {
      var request = Trying.Request()
      change(&request)
      let measuring = TestMeasuring(in: try TemporaryFolder()).measuring
      try Trying(request, measuring: measuring, pairing: PairingSettings()).check(campaign)
    }
    try check { _ in }
    try check { $0.metric = "wall" }
    try check { $0.margin = MarginOverride(argument: "1%") }
    for change: (inout Trying.Request) -> Void in [
      { $0.metric = "cpu.total" }, { $0.margin = MarginOverride(argument: "2%") },
      { $0.variant = "naive" }, { $0.anchor = "HEAD~1" },
    ] {
      let failure = #expect(throws: Failure.self) { try check(change) }
      #expect(failure?.status == .usage)
      #expect(failure?.message.contains("Pass --new to begin another campaign.") == true)
    }
  }
}
