import PerfModel
import Testing

struct BudgetLaunchesTests {
  /// One value in 100 / (100 - p) is above percentile p.
  @Test(arguments: [
    (0, 1), (1, 100), (5, 20), (25, 4), (50, 1), (75, 4), (90, 10), (95, 20), (99, 100),
    (99.9, 1000), (99.99, 10_000), (100, 1),
  ])
  func `a percentile needs enough launches to have one value beyond it`(
    percent: Double, launches: Int
  ) {
    #expect(Budget.Statistic.percentile(percent).launchesNeeded == launches)
  }

  @Test
  func `the mean, the median and the extremes need one launch`() {
    for statistic in [Budget.Statistic.min, .mean, .max] {
      #expect(statistic.launchesNeeded == 1)
    }
  }

  @Test
  func `the extreme is on the percentile's side`() {
    #expect(Budget.Statistic.percentile(95).extreme == .max)
    #expect(Budget.Statistic.percentile(5).extreme == .min)
  }
}
