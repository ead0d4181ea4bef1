import PerfModel
import Testing

@testable import PerfStatistics

struct ProportionTests {
  @Test(arguments: [6, 20, 60, 300])
  func `what never happened has the rule of three's upper limit`(trials: Int) throws {
    let estimate = try Proportion.estimate(events: 0, trials: trials)
    #expect(estimate.value == 0)
    #expect(estimate.low == 0)
    // (1 - p)^n = 0.05: p = 1 - exp(-x) with x = 2.9957 / n, which is between x - x^2 / 2 and x.
    let high = try #require(estimate.high)
    let first = 2.9957 / Double(trials)
    #expect(high < first + 1e-5)
    #expect(high > first - first * first / 2 - 1e-5)
  }

  @Test func `what always happened has the same limit upside down`() throws {
    let estimate = try Proportion.estimate(events: 60, trials: 60)
    #expect(estimate.value == 1)
    #expect(estimate.high == 1)
    // 0.05^(1/60)
    #expect(isClose(estimate.low, 0.9512965, within: 1e-6))
  }

  @Test func `what happened sometimes has Clopper and Pearson's interval`() throws {
    // P(B >= 1) = 0.025 where (1 - p)^10 = 0.975; the upper limit is 0.4450 in their table.
    let estimate = try Proportion.estimate(events: 1, trials: 10)
    #expect(isClose(estimate.low, 0.00252858, within: 1e-6))
    #expect(isClose(estimate.high, 0.44501612, within: 1e-6))
  }

  // SciPy 1.17: beta.ppf(0.95, k + 1, n - k).
  @Test(arguments: [
    (0, 300, 0.009936081944457708), (3, 300, 0.025641393082609616), (5, 40, 0.24503051264971193),
    (10, 10, 1),
  ])
  func `the limit on one side is Clopper and Pearson's`(
    events: Int, trials: Int, bound: Double
  ) throws {
    #expect(
      isClose(try Proportion.upperBound(events: events, trials: trials), bound, within: 1e-9))
  }

  @Test func `nothing at all has none`() {
    #expect(throws: StatisticsError.self) { try Proportion.estimate(events: 0, trials: 0) }
  }

  @Test func `a budget of crashes holds when even the limit of its rate does`() throws {
    func result(limit: Double, launches: Int) -> BudgetResult {
      BudgetEvaluator.evaluate(
        Budget(
          metric: "crash.rate", statistic: .mean, comparison: .atMost,
          limit: Quantity(limit, .percent)),
        values: Array(repeating: 0, count: launches), definition: nil)
    }
    // 1 - 0.05^(1/60) = 4.9 %.
    #expect(result(limit: 5, launches: 60).verdict == .held)
    #expect(result(limit: 5, launches: 50).verdict == .unknown)
    #expect(result(limit: 5, launches: 60).note == "0 of 60: about 3/60 at most, with 95 %")
  }
}
