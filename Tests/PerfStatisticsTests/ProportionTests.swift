import PerfModel
import Testing

@testable import PerfStatistics

struct ProportionTests {
  @Test(arguments: [6, 20, 60, 300])
  func `no event has the upper limit of the rule of three`(trials: Int) throws {
    let estimate = try Proportion.estimate(events: 0, trials: trials)
    #expect(estimate.value == 0)
    #expect(estimate.low == 0)
    // (1 - p)^n = 0.05: p = 1 - exp(-x) with x = 2.9957 / n, so p is between x - x^2 / 2 and x.
    let high = try #require(estimate.high)
    let first = 2.9957 / Double(trials)
    #expect(high < first + 1e-5)
    #expect(high > first - first * first / 2 - 1e-5)
  }

  @Test func `events in all trials have the mirrored limit`() throws {
    let estimate = try Proportion.estimate(events: 60, trials: 60)
    #expect(estimate.value == 1)
    #expect(estimate.high == 1)
    // 0.05^(1/60)
    #expect(isClose(estimate.low, 0.9512965, within: 1e-6))
  }

  @Test func `events in some trials have the Clopper-Pearson interval`() throws {
    // P(B >= 1) = 0.025 for (1 - p)^10 = 0.975; the upper limit is 0.4450 in the published table.
    let estimate = try Proportion.estimate(events: 1, trials: 10)
    #expect(isClose(estimate.low, 0.00252858, within: 1e-6))
    #expect(isClose(estimate.high, 0.44501612, within: 1e-6))
  }

  // SciPy 1.17: beta.ppf(0.95, k + 1, n - k).
  @Test(arguments: [
    (0, 300, 0.009936081944457708), (3, 300, 0.025641393082609616), (5, 40, 0.24503051264971193),
    (10, 10, 1),
  ])
  func `the one-sided limit is that of Clopper and Pearson`(
    events: Int, trials: Int, bound: Double
  ) throws {
    #expect(
      isClose(try Proportion.upperBound(events: events, trials: trials), bound, within: 1e-9))
  }

  @Test func `no trials have no proportion`() {
    #expect(throws: StatisticsError.self) { try Proportion.estimate(events: 0, trials: 0) }
  }

  @Test func `a budget of crashes holds if the upper limit of the rate is within it`() throws {
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
    #expect(
      result(limit: 5, launches: 60).note == "0 of 60: with 95 % confidence at most about 3/60")
  }
}
