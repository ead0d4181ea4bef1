import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

struct BudgetEvaluatorTests {
  func budget(_ limit: Double) -> Budget { budget(.percentile(50), .atMost, limit) }

  func budget(
    _ statistic: Budget.Statistic, _ comparison: Budget.Comparison, _ limit: Double
  ) -> Budget {
    Budget(
      metric: "wall", statistic: statistic, comparison: comparison,
      limit: Quantity(limit, .nanoseconds))
  }

  func verdict(_ budget: Budget, _ values: [Double]) -> BudgetVerdict {
    BudgetEvaluator.evaluate(budget, values: values, definition: TestRuns.time).verdict
  }

  let ten = (1...10).map(Double.init)

  /// The interval of the median of 1...10 is 2...9.
  @Test(arguments: [
    (Budget.Comparison.atMost, 9.0, BudgetVerdict.held), (.atMost, 8.9, .unknown),
    (.atMost, 2, .unknown), (.atMost, 1.9, .broken), (.atLeast, 2, .held),
    (.atLeast, 2.1, .unknown), (.atLeast, 9, .unknown), (.atLeast, 9.1, .broken),
    (.equal, 5.5, .unknown), (.equal, 9.5, .broken), (.equal, 1.5, .broken),
  ])
  func `the interval of the median decides a budget`(
    comparison: Budget.Comparison, limit: Double, expected: BudgetVerdict
  ) {
    let result = BudgetEvaluator.evaluate(
      budget(.percentile(50), comparison, limit), values: ten, definition: TestRuns.time)
    #expect(result.verdict == expected)
    #expect(result.value == 5.5)
    #expect(result.interval == 2...9)
    #expect(result.note == "")
  }

  @Test(arguments: [Budget.Statistic.max, .percentile(100)])
  func `the largest value itself decides a budget of the maximum`(statistic: Budget.Statistic) {
    #expect(verdict(budget(statistic, .atMost, 10), ten) == .held)
    #expect(verdict(budget(statistic, .atMost, 9.9), ten) == .broken)
    #expect(verdict(budget(statistic, .atMost, 1), [1]) == .held)
  }

  @Test(arguments: [Budget.Statistic.min, .percentile(0)])
  func `the smallest value itself decides a budget of the minimum`(statistic: Budget.Statistic) {
    #expect(verdict(budget(statistic, .atLeast, 1), ten) == .held)
    #expect(verdict(budget(statistic, .atLeast, 1.1), ten) == .broken)
  }

  @Test
  func `a budget of the mean uses Student's interval`() {
    // Mean 5.5, standard deviation 3.0277, t(9) = 2.2622: 5.5 -+ 2.166.
    #expect(verdict(budget(.mean, .atMost, 7.67), ten) == .held)
    #expect(verdict(budget(.mean, .atMost, 7.66), ten) == .unknown)
    #expect(verdict(budget(.mean, .atMost, 3.34), ten) == .unknown)
    #expect(verdict(budget(.mean, .atMost, 3.33), ten) == .broken)
  }

  @Test
  func `fewer than six launches use the range instead of the interval, with a note`() {
    let result = BudgetEvaluator.evaluate(
      budget(4), values: [1, 2, 3, 4, 5], definition: TestRuns.time)
    #expect(result.verdict == .unknown)
    #expect(result.interval == 1...5)
    #expect(
      result.note
        == "5 launches: the range replaces the 95 % interval, which needs 6")
    #expect(verdict(budget(5), [1, 2, 3, 4, 5]) == .held)
    #expect(verdict(budget(0.9), [1, 2, 3, 4, 5]) == .broken)
    let one = BudgetEvaluator.evaluate(budget(5), values: [4], definition: TestRuns.time)
    #expect(one.verdict == .held)
    #expect(one.note.hasPrefix("1 launch: "))
  }

  @Test
  func `a p95 of fewer than twenty launches is an error that suggests the maximum`() throws {
    let p95 = budget(.percentile(95), .atMost, 5)
    let message =
      "p95 of 19 launches is just their max. Use 'max(wall)', or measure 20 launches."
    let error = #expect(throws: StatisticsError.self) {
      try BudgetEvaluator.validate([p95], launches: 19)
    }
    #expect(error?.description == message)
    try BudgetEvaluator.validate([p95], launches: 20)
    // A crashed launch does not affect the other nineteen.
    let result = BudgetEvaluator.evaluate(
      p95, values: (1...19).map(Double.init), definition: TestRuns.time)
    #expect(result.verdict == .unknown)
    #expect(result.note == message)
  }

  @Test
  func `the largest value replaces a missing upper limit of p95, with a note`() {
    // 0.95^71 = 0.0262 > 0.025 >= 0.95^72. The lower limit: P(B <= 17) = 0.0755, P(B <= 16) = 0.0159
    // with B ~ Bin(20, 0.95), so the 17th value.
    let result = BudgetEvaluator.evaluate(
      budget(.percentile(95), .atMost, 20), values: (1...20).map(Double.init),
      definition: TestRuns.time)
    #expect(result.verdict == .held)
    #expect(result.interval == 17...20)
    #expect(
      result.note
        == "the largest value replaces the upper limit; a 95 % interval of p95 needs 72 launches"
    )
  }

  @Test
  func `budgets of deterministic counts are compared exactly`() {
    let budget = Budget(
      metric: "alloc.count", comparison: .equal, limit: Quantity(100, .count))
    func result(_ values: [Double]) -> BudgetResult {
      BudgetEvaluator.evaluate(budget, values: values, definition: TestRuns.allocations)
    }
    #expect(result([100, 100, 100]).verdict == .held)
    #expect(result([100, 100, 100]).note == "")
    #expect(result([101, 101]).verdict == .broken)
    #expect(result([100, 101]).verdict == .unknown)
    #expect(
      result([100, 101]).note == "the metric should be equal in all launches, but is not")
  }

  @Test
  func `a budget of a missing metric is unknown, with the reason`() {
    let result = BudgetEvaluator.evaluate(budget(5), values: [], definition: nil)
    #expect(result.verdict == .unknown)
    #expect(result.value == nil)
    #expect(result.note == "no launch has the metric 'wall'")
  }

  @Test
  func `a budget with a value that is not finite is unknown`() {
    let result = BudgetEvaluator.evaluate(
      budget(5), values: [1, .nan, 2, 1, 2, 1, 2], definition: TestRuns.time)
    #expect(result.verdict == .unknown)
    #expect(result.note.hasPrefix("the metric has a value at index 1 that is not a finite number."))
  }

  @Test
  func `budgets are evaluated by measured launches only`() {
    let run = TestRuns.run(
      ["wall": ten, "frame.rate": [60]],
      budgets: [
        budget(9), budget(1),
        Budget(metric: "frame.rate", comparison: .atLeast, limit: Quantity(50, .framesPerSecond)),
        Budget(metric: "rss.peak", comparison: .atMost, limit: Quantity(1, .megabytes)),
      ], lost: 2)
    let results = BudgetEvaluator.evaluate(run)
    #expect(results.map(\.verdict) == [.held, .broken, .unknown, .unknown])
    #expect(results[2].note.hasSuffix("; missing in 9 of 10 launches"))
    #expect(BudgetEvaluator.verdict(of: results) == .broken)
    #expect(BudgetEvaluator.verdict(of: [results[0], results[3]]) == .unknown)
    #expect(BudgetEvaluator.verdict(of: [results[0]]) == .held)
    #expect(BudgetEvaluator.verdict(of: []) == nil)
    #expect(BudgetEvaluator.verdict(of: run, results) == .broken)
    // Two launches are missing, so the run does not hold the budget.
    #expect(BudgetEvaluator.verdict(of: run, [results[0]]) == .unknown)
    #expect(BudgetEvaluator.verdict(of: run, []) == .unknown)
    let whole = TestRuns.run(["wall": ten], budgets: [budget(9)])
    #expect(BudgetEvaluator.verdict(of: whole, BudgetEvaluator.evaluate(whole)) == .held)
    #expect(BudgetEvaluator.verdict(of: whole, []) == .held)
  }

  @Test
  func `counted launches decide budgets of counted metrics`() {
    func work(_ limit: Double) -> Budget {
      Budget(
        metric: MetricName.workInstructions, comparison: .atMost, limit: Quantity(limit, .count))
    }
    let run = TestRuns.run(["wall": ten], budgets: [budget(9), work(100), work(99)])
    let uncounted = BudgetEvaluator.evaluate(run)
    #expect(uncounted.map(\.verdict) == [.held, .unknown, .unknown])
    #expect(
      uncounted[1].note == "no launch has the metric 'work.instructions'; --count counts it")
    let allocations = Budget(
      metric: "alloc.count", comparison: .atMost, limit: Quantity(100, .count))
    #expect(
      BudgetEvaluator.evaluate(TestRuns.run(["wall": ten], budgets: [allocations]))[0].note
        == "no launch has the metric 'alloc.count'; --allocations counts it")
    #expect(GatingMetrics.names(.init(), budgets: run.budgets, definitions: []) == ["wall"])
    let counts = WorkCounts([CountedRuns.run([100, 100])])
    #expect(
      BudgetEvaluator.evaluate(run, counts: counts).map(\.verdict) == [.held, .held, .broken])
    let lost = WorkCounts([CountedRuns.run([100, 100], failed: 1)])
    let results = BudgetEvaluator.evaluate(run, counts: lost)
    #expect(results.map(\.verdict) == [.held, .unknown, .broken])
    #expect(results[1].note.hasSuffix("missing in 1 of 3 launches"))
  }

  @Test
  func `a metric summary has the median, its interval and outliers`() throws {
    let summary = try #require(
      MetricSummary.summaries(of: TestRuns.run(["wall": [5, 6, 5, 7, 6, 5, 6, 90]])).first)
    #expect(summary.median == 6)
    // Ranks 1 and 8 of 8: P(B = 0) = 1/256 <= 0.025 < P(B <= 1) = 9/256.
    #expect(summary.low == 5 && summary.high == 90)
    #expect(summary.outliers == [7])
    #expect(try #require(MetricSummary(TestRuns.time, values: [1, 2])).low == nil)
    #expect(MetricSummary(TestRuns.time, values: []) == nil)
    #expect(MetricSummary(TestRuns.time, values: [.nan]) == nil)
  }
}
