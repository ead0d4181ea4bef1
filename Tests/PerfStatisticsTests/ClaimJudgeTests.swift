import PerfModel
import Testing

@testable import PerfStatistics

struct ClaimJudgeTests {
  private let wall = Formula.metric("wall")

  private func reading(_ scenario: String, _ formula: Formula) -> Claim.Reading {
    Claim.Reading(Claim.Source(scenario: scenario, variant: "v"), formula, text: "f")
  }

  /// Decides a claim by runs that the scenarios "a" and "b" stand for, after and before.
  private func finding(
    _ assertion: Assertion, formula: Formula? = nil, after: [String: [Double]],
    before: [String: [Double]]? = nil, lost: Int = 0
  ) -> ClaimFinding {
    let formula = formula ?? wall
    let claim = Claim(
      id: "E1.1", study: "S", quote: "q", assertion: assertion,
      evidence: .measured(
        before: before.map { _ in reading("b", formula) }, after: reading("a", formula)))
    return ClaimJudge.finding(of: claim) { source in
      source.scenario == "a"
        ? TestRuns.run(after, id: "new", lost: lost) : before.map { TestRuns.run($0, id: "old") }
    }
  }

  private func milliseconds(_ values: Double...) -> [String: [Double]] {
    ["wall": values.map { $0 * 1e6 }]
  }

  private let limit = Assertion(.below, Quantity(100, .milliseconds))

  // MARK: - One state

  @Test func `a limit that is kept reproduces, one that is broken contradicts`() {
    let kept = finding(limit, after: milliseconds(80, 81, 82, 83, 84, 85))
    #expect(kept.outcome == .reproduced)
    #expect(kept.after?.estimate.value == 82.5e6)
    #expect(kept.after?.estimate.interval == 80e6...85e6)
    #expect(kept.after?.dimension == .time)
    #expect(kept.after?.launches == 6)
    #expect(kept.runs == ["new"])
    #expect(!kept.isClose)
    #expect(kept.reason == "")
    let broken = finding(limit, after: milliseconds(120, 121, 122))
    #expect(broken.outcome == .contradicted)
    #expect(broken.reason == "It is not under 100 ms.")
  }

  /// 98 ms and its drift of 5 % are 102.9 ms.
  @Test func `a limit within the interval and the drift is called close`() {
    let kept = finding(limit, after: milliseconds(93, 94, 95, 96, 97, 98))
    #expect(kept.outcome == .reproduced)
    #expect(kept.isClose)
    #expect(kept.reason == "Close: a limit lies within the interval.")
    let broken = finding(limit, after: milliseconds(99, 101, 102, 103, 104, 105))
    #expect(broken.outcome == .contradicted)
    #expect(broken.isClose)
    #expect(
      broken.reason == "It is not under 100 ms. Close: a limit lies within the interval.")
  }

  @Test func `what is the same in every launch does not drift`() {
    let assertion = Assertion(.equal, Quantity(480, .count), tolerance: .exactly)
    let found = finding(
      assertion, formula: .metric("frame.count"), after: ["frame.count": [480, 480, 480]])
    #expect(found.outcome == .reproduced)
    #expect(!found.isClose)
  }

  @Test func `a number claimed to be equal is held within its tolerance`() {
    let assertion = Assertion(
      .equal, Quantity(2, .seconds), to: Quantity(3, .seconds), tolerance: .factor(3))
    // 2 s by 3 is 667 ms, 3 s by 3 are 9 s.
    #expect(finding(assertion, after: milliseconds(700)).outcome == .reproduced)
    #expect(finding(assertion, after: milliseconds(600)).outcome == .contradicted)
    #expect(finding(assertion, after: milliseconds(9100)).outcome == .contradicted)
  }

  @Test func `arithmetic over metrics is done launch by launch`() {
    let formula = Formula.operation(.over, wall, .metric("frame.count"))
    // 10, 20 and 50 ms a frame: the median of the quotients, not the quotient of the medians.
    let found = finding(
      limit, formula: formula,
      after: ["wall": [100e6, 200e6, 150e6], "frame.count": [10, 10, 3]])
    #expect(found.after?.estimate.value == 20e6)
    #expect(found.after?.dimension == .time)
  }

  @Test func `the crash rate is the share of all launches, not a median`() {
    let assertion = Assertion(.equal, Quantity(0, .percent), tolerance: .exactly)
    let crash = Formula.metric("crash.rate")
    let found = finding(assertion, formula: crash, after: milliseconds(1, 1, 1), lost: 1)
    #expect(found.outcome == .contradicted)
    #expect(found.after?.estimate.value == 0.25)
    let none = finding(assertion, formula: crash, after: milliseconds(1, 1, 1))
    #expect(none.outcome == .reproduced)
    // Three launches without a crash: up to 63 % may crash, 1 - 0.05^(1/3).
    #expect(none.isClose)
    #expect(abs((none.after?.estimate.high ?? 0) - 0.6316) < 1e-4)
  }

  // MARK: - A change

  private func times(_ number: Double) -> Quantity { Quantity(baseValue: number, unit: .ratio) }

  @Test func `how many times less is the ratio of both sides, with its interval`() throws {
    let found = finding(
      Assertion(.less, .equal, times(4), tolerance: .factor(1.5)),
      after: milliseconds(10, 10.1, 10.2, 10.3), before: milliseconds(40, 40.4, 40.8, 41.2))
    #expect(found.outcome == .reproduced)
    let change = try #require(found.change)
    #expect(abs(change.estimate.value - 4) < 0.05)
    // Four values a side: all 16 ratios lie between the extreme ones.
    #expect(abs((change.estimate.low ?? 0) - 40 / 10.3) < 1e-9)
    #expect(abs((change.estimate.high ?? 0) - 41.2 / 10) < 1e-9)
    #expect(found.before?.estimate.value == 40.6e6)
    #expect(found.runs == ["old", "new"])
  }

  @Test func `how many times more turns it round`() {
    let assertion = Assertion(.more, .atLeast, times(3))
    #expect(
      finding(assertion, after: milliseconds(40), before: milliseconds(10)).outcome == .reproduced)
    #expect(
      finding(assertion, after: milliseconds(10), before: milliseconds(40)).outcome
        == .contradicted)
  }

  @Test func `a reduction is the part that is gone, its interval the right way up`() throws {
    let found = finding(
      Assertion(.reduction, .atLeast, Quantity(70, .percent)),
      after: milliseconds(10, 11, 12, 13), before: milliseconds(40, 44, 48, 52))
    #expect(found.outcome == .reproduced)
    let change = try #require(found.change)
    #expect(change.dimension == .ratio)
    // The extreme ratios are 13 by 40 and 10 by 52.
    #expect(abs((change.estimate.low ?? 0) - (1 - 13.0 / 40)) < 1e-9)
    #expect(abs((change.estimate.high ?? 0) - (1 - 10.0 / 52)) < 1e-9)
  }

  @Test func `a claim about the state before is decided by that one`() {
    let assertion = Assertion(.before, .above, Quantity(50, .milliseconds))
    #expect(
      finding(assertion, after: milliseconds(1), before: milliseconds(60)).outcome == .reproduced)
    #expect(
      finding(assertion, after: milliseconds(60), before: milliseconds(1)).outcome
        == .contradicted)
  }

  @Test func `what has become nothing is less by any number of times`() {
    let less = finding(
      Assertion(.less, .atLeast, times(1000)), after: milliseconds(0, 0),
      before: milliseconds(5, 5))
    #expect(less.outcome == .reproduced)
    #expect(less.change?.estimate.value == .infinity)
    let reduction = finding(
      Assertion(.reduction, .atLeast, Quantity(95, .percent)), after: milliseconds(0, 0),
      before: milliseconds(5, 5))
    #expect(reduction.change?.estimate.value == 1)
  }

  @Test func `nothing that stays nothing has not changed`() {
    let less = finding(
      Assertion(.less, .above, times(1)), after: milliseconds(0), before: milliseconds(0))
    #expect(less.outcome == .contradicted)
    #expect(less.change?.estimate.value == 1)
    let reduction = finding(
      Assertion(.reduction, .atLeast, Quantity(80, .percent)), after: milliseconds(0),
      before: milliseconds(0))
    #expect(reduction.change?.estimate.value == 0)
  }

  @Test func `below zero there is no ratio`() {
    let found = finding(
      Assertion(.less, .atLeast, times(1)), after: milliseconds(-1), before: milliseconds(1))
    #expect(found.outcome == .notMeasured)
    #expect(found.reason == "There is no ratio of a value below zero.")
  }

  // MARK: - Without a measurement

  @Test func `a claim whose run or metric is missing is not measured`() {
    let claim = Claim(
      id: "E1.1", study: "S", quote: "q", assertion: limit,
      evidence: .measured(before: nil, after: reading("a", wall)))
    #expect(
      ClaimJudge.finding(of: claim) { _ in nil }
        == ClaimFinding(outcome: .notMeasured, reason: "There is no run of a:v."))
    let found = finding(limit, after: ["frame.count": [1]])
    #expect(found.outcome == .notMeasured)
    #expect(found.reason == "Run new of a:v has no wall.")
  }

  @Test func `arithmetic decides without a run`() {
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
    #expect(finding(96).outcome == .reproduced)
    #expect(finding(24).outcome == .contradicted)
    #expect(finding(24).after?.estimate.value == 96e6)
    #expect(finding(24).runs == [])
  }

  @Test func `what cannot be tested says why`() {
    let claim = Claim(
      id: "E37.1", study: "S", quote: "q", assertion: nil,
      evidence: .notTestable(because: "It is far away."))
    #expect(
      ClaimJudge.finding(of: claim) { _ in nil }
        == ClaimFinding(outcome: .notTestable, reason: "It is far away."))
  }
}
