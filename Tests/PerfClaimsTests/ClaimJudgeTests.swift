import PerfModel
import PerfStatistics
import Testing

@testable import PerfClaims

struct ClaimJudgeTests {
  private static let definitions = [
    MetricDefinition(
      name: "wall", dimension: .time, direction: .lower, scale: .ratio, summary: "Wall time."),
    MetricDefinition(
      name: "frame.count", dimension: .count, direction: .neutral, scale: .difference,
      summary: "Frames."),
  ]

  /// Returns a run with one measured launch per value, then `crashed` launches that crashed.
  private static func run(_ metrics: [String: [Double]], id: String, crashed: Int = 0) -> Run {
    let count = metrics.values.map(\.count).max() ?? 0
    let launches = (0..<count + crashed).map { index in
      Launch(
        index: index, isWarmup: false,
        status: index < count ? .completed : .crashed(signal: 11), offset: 0,
        metrics: metrics.compactMapValues { index < $0.count ? $0[index] : nil })
    }
    return Run(
      id: id, scenario: "s", variant: "v", label: nil, started: Timestamp(milliseconds: 0),
      seed: 1, parameters: [:], command: [], environment: Environment(facts: [:]),
      definitions: definitions.filter { metrics.keys.contains($0.name) }, launches: launches,
      budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }

  private let wall = Formula.metric("wall")

  private func reading(_ scenario: String, _ formula: Formula) -> Claim.Reading {
    Claim.Reading(
      source: Claim.Source(scenario: scenario, variant: "v"), formula: formula, text: "f")
  }

  /// Decides a claim; scenario "a" has the values after the change, "b" the values before it.
  private func finding(
    _ assertion: Assertion, formula: Formula? = nil, after: [String: [Double]],
    before: [String: [Double]]? = nil, crashed: Int = 0
  ) -> ClaimFinding {
    let formula = formula ?? wall
    let claim = Claim(
      id: "E1.1", study: "S", quote: "q", assertion: assertion,
      evidence: .measured(
        .init(before: before.map { _ in reading("b", formula) }, after: reading("a", formula))))
    return ClaimJudge.finding(of: claim) { source in
      source.scenario == "a"
        ? Self.run(after, id: "new", crashed: crashed)
        : before.map { Self.run($0, id: "old") }
    }
  }

  private func milliseconds(_ values: Double...) -> [String: [Double]] {
    ["wall": values.map { $0 * 1e6 }]
  }

  private let limit = Assertion(.below, Quantity(100, .milliseconds))

  // MARK: - One state

  @Test func `a claimed limit is reproduced if kept and contradicted if exceeded`() {
    let kept = finding(limit, after: milliseconds(80, 81, 82, 83, 84, 85))
    #expect(kept.verdict == .reproduced)
    #expect(kept.after?.estimate.value == 82.5e6)
    #expect(kept.after?.estimate.interval == 80e6...85e6)
    #expect(kept.after?.dimension == .time)
    #expect(kept.after?.launches == 6)
    #expect(kept.runs == ["new"])
    #expect(!kept.isClose)
    #expect(kept.reason == "")
    let broken = finding(limit, after: milliseconds(120, 121, 122))
    #expect(broken.verdict == .contradicted)
    #expect(broken.reason == "The estimate is not under 100 ms.")
  }

  /// 98 ms widened by the drift of 5 % is 102.9 ms; 101 ms narrowed by it is 96.2 ms.
  @Test func `a limit within the widened interval alone makes the verdict close`() {
    let kept = finding(limit, after: milliseconds(93, 94, 95, 96, 97, 98))
    #expect(kept.verdict == .reproduced)
    #expect(kept.isClose)
    #expect(kept.reason == "Close: a drift of 5 % could change it.")
    let broken = finding(limit, after: milliseconds(101, 102, 103, 104, 105, 106))
    #expect(broken.verdict == .contradicted)
    #expect(broken.isClose)
    #expect(
      broken.reason == "The estimate is not under 100 ms. Close: a drift of 5 % could change it.")
  }

  @Test func `an interval that reaches inside and outside leaves the claim undecided`() {
    let outside = finding(limit, after: milliseconds(99, 101, 102, 103, 104, 105))
    #expect(outside.verdict == .undecided)
    #expect(outside.isClose)
    #expect(
      outside.reason == "The interval reaches inside and outside of the allowed range. "
        + "The estimate is not under 100 ms.")
    let inside = finding(limit, after: milliseconds(90, 91, 92, 93, 94, 101))
    #expect(inside.verdict == .undecided)
    #expect(inside.reason.hasSuffix("The estimate is inside."))
  }

  /// Both ends are outside, on different sides: 2.5 to 10 % is allowed, the interval is -10 to 38 %.
  @Test func `an interval that contains the whole allowed range leaves the claim undecided`() {
    let assertion = Assertion(.equal, Quantity(5, .percent), tolerance: .factor(2))
    let share = Formula.operation(.minus, .number(.init(1)), .metric("frame.count"))
    let found = finding(
      assertion, formula: share, after: ["frame.count": [1.1, 1.05, 1.03, 1.02, 1.01, 0.62]])
    #expect(found.verdict == .undecided)
    #expect(found.reason.hasSuffix("The estimate is under 2.5%."))
  }

  @Test func `a value that is equal in all launches has no drift`() {
    let assertion = Assertion(.equal, Quantity(480, .count), tolerance: .exactly)
    let found = finding(
      assertion, formula: .metric("frame.count"), after: ["frame.count": [480, 480, 480]])
    #expect(found.verdict == .reproduced)
    #expect(!found.isClose)
  }

  @Test func `a claimed number is reproduced within its tolerance`() {
    let assertion = Assertion(
      .equal, Quantity(2, .seconds), to: Quantity(3, .seconds), tolerance: .factor(3))
    // 2 s / 3 = 667 ms; 3 s * 3 = 9 s.
    #expect(finding(assertion, after: milliseconds(700)).verdict == .reproduced)
    #expect(finding(assertion, after: milliseconds(600)).verdict == .contradicted)
    #expect(finding(assertion, after: milliseconds(9100)).verdict == .contradicted)
  }

  @Test func `formulas are computed for each launch before the median`() {
    let formula = Formula.operation(.over, wall, .metric("frame.count"))
    // 10, 20 and 50 ms per frame: the median of the quotients, not the quotient of the medians.
    let found = finding(
      limit, formula: formula,
      after: ["wall": [100e6, 200e6, 150e6], "frame.count": [10, 10, 3]])
    #expect(found.after?.estimate.value == 20e6)
    #expect(found.after?.dimension == .time)
  }

  @Test func `the crash rate is the share of crashed launches`() {
    let assertion = Assertion(.equal, Quantity(0, .percent), tolerance: .exactly)
    let crash = Formula.metric("crash.rate")
    let found = finding(assertion, formula: crash, after: milliseconds(1, 1, 1), crashed: 1)
    #expect(found.verdict == .contradicted)
    #expect(found.after?.estimate.value == 0.25)
    let none = finding(assertion, formula: crash, after: milliseconds(1, 1, 1))
    #expect(none.verdict == .undecided)
    // Three launches without a crash leave an upper bound of 1 - 0.05^(1/3) = 63 %.
    #expect(none.isClose)
    #expect(abs((none.after?.estimate.high ?? 0) - 0.6316) < 1e-4)
  }

  // MARK: - A change

  private func times(_ number: Double) -> Quantity { Quantity(baseValue: number, unit: .ratio) }

  @Test func `a factor of decrease is the ratio of before to after with its interval`() throws {
    let found = finding(
      Assertion(.less, .equal, times(4), tolerance: .factor(1.5)),
      after: milliseconds(10, 10.1, 10.2, 10.3), before: milliseconds(40, 40.4, 40.8, 41.2))
    #expect(found.verdict == .reproduced)
    let change = try #require(found.change)
    #expect(abs(change.estimate.value - 4) < 0.05)
    // With four values per side the interval spans all 16 ratios.
    #expect(abs((change.estimate.low ?? 0) - 40 / 10.3) < 1e-9)
    #expect(abs((change.estimate.high ?? 0) - 41.2 / 10) < 1e-9)
    #expect(found.before?.estimate.value == 40.6e6)
    #expect(found.runs == ["old", "new"])
  }

  @Test func `a factor of increase is the ratio of after to before`() {
    let assertion = Assertion(.more, .atLeast, times(3))
    #expect(
      finding(assertion, after: milliseconds(40), before: milliseconds(10)).verdict == .reproduced)
    #expect(
      finding(assertion, after: milliseconds(10), before: milliseconds(40)).verdict
        == .contradicted)
  }

  @Test func `a reduction is the removed share with an ordered interval`() throws {
    let found = finding(
      Assertion(.reduction, .atLeast, Quantity(60, .percent)),
      after: milliseconds(10, 11, 12, 13), before: milliseconds(40, 44, 48, 52))
    #expect(found.verdict == .reproduced)
    let change = try #require(found.change)
    #expect(change.dimension == .ratio)
    // The extreme ratios are 13 / 40 and 10 / 52.
    #expect(abs((change.estimate.low ?? 0) - (1 - 13.0 / 40)) < 1e-9)
    #expect(abs((change.estimate.high ?? 0) - (1 - 10.0 / 52)) < 1e-9)
  }

  @Test func `a claim about the state before the change is decided by that run`() {
    let assertion = Assertion(.before, .above, Quantity(50, .milliseconds))
    #expect(
      finding(assertion, after: milliseconds(1), before: milliseconds(60)).verdict == .reproduced)
    #expect(
      finding(assertion, after: milliseconds(60), before: milliseconds(1)).verdict
        == .contradicted)
  }

  @Test func `a value that fell to zero has decreased by any factor`() {
    let less = finding(
      Assertion(.less, .atLeast, times(1000)), after: milliseconds(0, 0),
      before: milliseconds(5, 5))
    #expect(less.verdict == .reproduced)
    #expect(less.change?.estimate.value == .infinity)
    let reduction = finding(
      Assertion(.reduction, .atLeast, Quantity(95, .percent)), after: milliseconds(0, 0),
      before: milliseconds(5, 5))
    #expect(reduction.change?.estimate.value == 1)
  }

  @Test func `a value that is zero before and after shows no change`() {
    for assertion in [
      Assertion(.less, .above, times(1)),
      Assertion(.reduction, .atLeast, Quantity(80, .percent)),
      Assertion(.after, .equal, Quantity(28, .milliseconds), tolerance: .atMost),
    ] {
      let found = finding(assertion, after: milliseconds(0, 0), before: milliseconds(0, 0))
      #expect(found.verdict == .notTestable)
      #expect(
        found.reason
          == "The scenario does not show the effect: all values are 0 before and after.")
    }
  }

  /// The median of 0 and 1 ms is within [0, 1] ms, and 40 ms within [36, 55] ms: 1 - 1 / 36 = 97.2 %.
  @Test func `a reduction to zero in some launches has an interval from both sides`() throws {
    let found = finding(
      Assertion(.reduction, .atLeast, Quantity(99, .percent)),
      after: milliseconds(0, 0, 0, 0, 0, 1), before: milliseconds(36, 38, 40, 40, 50, 55))
    let change = try #require(found.change)
    #expect(change.estimate.value == 1)
    #expect(abs((change.estimate.low ?? 0) - (1 - 1.0 / 36)) < 1e-9)
    #expect(change.estimate.high == 1)
    #expect(found.verdict == .undecided)
  }

  @Test func `a ratio of negative values is not measured`() {
    let found = finding(
      Assertion(.less, .atLeast, times(1)), after: milliseconds(-1), before: milliseconds(1))
    #expect(found.verdict == .notMeasured)
    #expect(found.reason == "The ratio of a negative value is undefined.")
  }

  // MARK: - Without a measurement

  @Test func `a claim is not measured if its run or metric is missing`() {
    let claim = Claim(
      id: "E1.1", study: "S", quote: "q", assertion: limit,
      evidence: .measured(.init(before: nil, after: reading("a", wall))))
    #expect(
      ClaimJudge.finding(of: claim) { _ in nil }
        == ClaimFinding(verdict: .notMeasured, reason: "There is no run of a:v."))
    let found = finding(limit, after: ["frame.count": [1]])
    #expect(found.verdict == .notMeasured)
    #expect(found.reason == "Run new of a:v has no wall.")
  }

  @Test func `arithmetic decides a claim without a run`() {
    // 24 million pixels of 4 bytes.
    let bytes = Formula.operation(
      .times, .number(.init(24e6)), .number(.init(4, .size)))
    func finding(_ claimed: Double) -> ClaimFinding {
      let claim = Claim(
        id: "A3.1", study: "S", quote: "q",
        assertion: Assertion(.equal, Quantity(claimed, .megabytes), tolerance: .exactly),
        evidence: .computed(bytes, text: "f"))
      return ClaimJudge.finding(of: claim) { _ in nil }
    }
    #expect(finding(96).verdict == .reproduced)
    #expect(finding(24).verdict == .contradicted)
    #expect(finding(24).after?.estimate.value == 96e6)
    #expect(finding(24).runs == [])
  }

  @Test func `an untestable claim gives its reason`() {
    let claim = Claim(
      id: "E37.1", study: "S", quote: "q", assertion: nil,
      evidence: .notTestable(because: "It is far away."))
    #expect(
      ClaimJudge.finding(of: claim) { _ in nil }
        == ClaimFinding(verdict: .notTestable, reason: "It is far away."))
  }
}
