import PerfModel
import PerfStatistics
import Testing

struct ExpectationEvaluatorTests {
  private static let definitions = [
    MetricDefinition(
      name: "hitches", dimension: .count, direction: .lower, scale: .difference, summary: ""),
    MetricDefinition(
      name: "bytes", dimension: .size, direction: .lower, scale: .ratio, isDeterministic: true,
      summary: ""),
    MetricDefinition(
      name: MetricName.frameRate, dimension: .frequency, direction: .higher, scale: .difference,
      summary: ""),
    MetricDefinition(
      name: "hits", dimension: .ratio, direction: .higher, scale: .difference, summary: ""),
  ]

  private func run(_ variant: String, _ launches: [[String: Double]]) -> Run {
    Run(
      id: "r-\(variant)", scenario: "s", variant: variant, label: nil,
      started: Timestamp(milliseconds: 0), seed: 1, parameters: ["refresh": .int(120)],
      command: [], environment: Environment(facts: [:]), definitions: Self.definitions,
      launches: launches.enumerated().map { index, metrics in
        Launch(index: index, isWarmup: false, status: .completed, offset: 0, metrics: metrics)
      }, budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }

  /// Judges `METRIC(before) > FACTOR * METRIC(after)`.
  private func contrast(
    _ metric: String, factor: Double = 1, _ relation: ScenarioExpectation.Relation = .above,
    before: [Double], after: [Double], isSmall: Bool = false
  ) -> ExpectationResult {
    let old = ScenarioExpectation.Reading(metric: metric, variant: "before")
    let new = ScenarioExpectation.Reading(metric: metric, variant: "after")
    let expectation = ScenarioExpectation(
      "\(old) \(relation.rawValue) \(factor) * \(new)", left: .metric(old.description), relation,
      right: .operation(.times, .number(.init(factor)), .metric(new.description)),
      readings: [old, new])
    return ExpectationEvaluator.evaluate(
      [expectation],
      runs: [
        "before": run("before", before.map { [metric: $0] }),
        "after": run("after", after.map { [metric: $0] }),
      ], isSmall: isSmall)[0]
  }

  /// Judges `METRIC(after) <= LIMIT`, if there is a run of another variant or not.
  private func bound(
    _ metric: String, _ relation: ScenarioExpectation.Relation, _ limit: Formula.Value,
    after: Double,
    before: Double?
  ) -> ExpectationResult {
    let reading = ScenarioExpectation.Reading(metric: metric, variant: "after")
    var runs = ["after": run("after", [[metric: after]])]
    if let before { runs["before"] = run("before", [[metric: before]]) }
    return ExpectationEvaluator.evaluate(
      [
        ScenarioExpectation(
          "bound", left: .metric(reading.description), relation, right: .number(limit),
          readings: [reading])
      ], runs: runs)[0]
  }

  @Test func `the medians of the launches decide`() {
    // The medians are 30 and 10; the means would be 343.3 and 340.
    let kept = contrast("hitches", factor: 2, before: [30, 0, 1000], after: [1000, 10, 10])
    #expect(kept.verdict == .kept)
    #expect(kept.left == 30)
    #expect(kept.right == 20)
    #expect(kept.runs == ["r-before", "r-after"])
    #expect(contrast("hitches", factor: 3, before: [30], after: [10]).verdict == .broken)
  }

  @Test func `values keep their dimension`() {
    let result = contrast("bytes", before: [2e6], after: [1e6])
    #expect(result.dimension == .size)
    #expect(contrast("hits", before: [0.5], after: [0.4]).dimension == .ratio)
  }

  @Test func `a bound that is met by zeros on both sides is not testable`() {
    let result = contrast("hitches", .atLeast, before: [0], after: [0])
    #expect(result.verdict == .notTestable)
    #expect(result.reason == "hitches is 0 in after and before")
    // Without a difference, a strict bound is broken.
    #expect(contrast("hitches", before: [0], after: [0]).verdict == .broken)
  }

  @Test func `a bound on one variant is not testable if the others are zero as well`() {
    let limit = Formula.Value(18)
    #expect(bound("hitches", .atMost, limit, after: 0, before: 0).verdict == .notTestable)
    #expect(bound("hitches", .atMost, limit, after: 0, before: 100).verdict == .kept)
    #expect(bound("hitches", .atMost, limit, after: 0, before: nil).verdict == .kept)
    #expect(bound("hitches", .atMost, limit, after: 19, before: 0).verdict == .broken)
  }

  // The refresh rate is 120 Hz; a rate of 119.9 fps is within 0.5 % of it, and 118 fps is not.
  @Test func `a bound that is met by the refresh rate on both sides is not testable`() {
    let limit = Formula.Value(118, .frequency)
    let result = bound(MetricName.frameRate, .atLeast, limit, after: 120, before: 119.9)
    #expect(result.verdict == .notTestable)
    #expect(result.reason == "frame.rate is at its cap of 120 fps in after and before")
    #expect(
      bound(MetricName.frameRate, .atLeast, limit, after: 120, before: 118).verdict == .kept)
    #expect(
      contrast(MetricName.frameRate, factor: 0.9, .atLeast, before: [120], after: [120]).verdict
        == .notTestable)
  }

  @Test func `a share is capped at 100 %`() {
    let limit = Formula.Value(0.8)
    #expect(bound("hits", .atLeast, limit, after: 1, before: 1).verdict == .notTestable)
    #expect(bound("hits", .atLeast, limit, after: 1, before: 0.7).verdict == .kept)
  }

  @Test func `an expectation without a run or a metric is not measured`() {
    let reading = ScenarioExpectation.Reading(metric: "hitches", variant: "after")
    let expectation = ScenarioExpectation(
      "e", left: .metric(reading.description), .atMost, right: .number(.init(1)),
      readings: [reading])
    let missing = ExpectationEvaluator.evaluate([expectation], runs: [:])[0]
    #expect(missing.verdict == .notMeasured)
    #expect(missing.reason == "no run of after")
    let empty = ExpectationEvaluator.evaluate([expectation], runs: ["after": run("after", [[:]])])
    #expect(empty[0].reason == "no completed launch of after has hitches")
  }

  @Test func `at the small size only deterministic metrics are judged`() {
    #expect(contrast("bytes", before: [2], after: [1], isSmall: true).verdict == .kept)
    let timed = contrast("hitches", before: [2], after: [1], isSmall: true)
    #expect(timed.verdict == .notMeasured)
    #expect(timed.reason == "hitches needs the full parameter set")
  }
}
