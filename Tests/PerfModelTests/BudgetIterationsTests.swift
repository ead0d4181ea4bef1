import PerfModel
import Testing

struct BudgetIterationsTests {
  /// One value in 100 / (100 - p) lies above percentile p.
  @Test(arguments: [
    (0, 1), (1, 100), (5, 20), (25, 4), (50, 1), (75, 4), (90, 10), (95, 20), (99, 100),
    (99.9, 1000), (99.99, 10_000), (100, 1),
  ])
  func `a percentile takes as many iterations as put one value beyond it`(
    percent: Double, iterations: Int
  ) {
    #expect(Budget.Statistic.percentile(percent).launchesNeeded == iterations)
  }

  @Test
  func `the mean and the extremes take one iteration`() {
    for statistic in [Budget.Statistic.min, .mean, .max] {
      #expect(statistic.launchesNeeded == 1)
    }
  }

  @Test
  func `the extreme lies on the percentile's side`() {
    #expect(Budget.Statistic.percentile(95).extreme == .max)
    #expect(Budget.Statistic.percentile(5).extreme == .min)
  }
}
