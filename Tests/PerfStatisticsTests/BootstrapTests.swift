import Testing

@testable import PerfStatistics

struct BootstrapTests {
  let first = KolmogorovSmirnovTests.first
  let second = KolmogorovSmirnovTests.second

  @Test
  func `BCa intervals of quantile differences agree with SciPy`() throws {
    // SciPy 1.17: bootstrap((first, second), difference of np.quantile, n_resamples=20000,
    // method='BCa'): p50 1.08, 0.14 to 1.91; p75 1.075, -0.11 to 1.76, for both seeds tried. The
    // samples are small, so limits move in steps of about 0.1.
    let middle = try Bootstrap.quantileDifference(0.5, from: first, to: second, seed: 1)
    #expect(isClose(middle.value, 1.08))
    #expect(isClose(middle.low, 0.14, within: 0.15) && isClose(middle.high, 1.91, within: 0.15))
    let upper = try Bootstrap.quantileDifference(0.75, from: first, to: second, seed: 1)
    #expect(isClose(upper.value, 1.075))
    #expect(isClose(upper.low, -0.11, within: 0.15) && isClose(upper.high, 1.76, within: 0.15))
    #expect(upper.method == .simulated(resamples: 2000))
  }

  @Test
  func `the same seed gives the same interval`() throws {
    let one = try Bootstrap.quantileDifference(0.9, from: first, to: second, seed: 7)
    #expect(try Bootstrap.quantileDifference(0.9, from: first, to: second, seed: 7) == one)
  }

  @Test
  func `95 percent bootstrap intervals contain the true difference in about 95 percent of samples`()
    throws
  {
    // 100 pairs of 30 values whose medians differ by 1: 95 expected, with a standard error of 2.2.
    // BCa intervals of a median deviate from the nominal coverage by a few percent.
    let noise = PairedData.noise(12, 6000)
    let held = try (0..<100).count { index in
      let values = noise[(60 * index)..<(60 * index + 60)]
      let interval = try Bootstrap.quantileDifference(
        0.5, from: Array(values.prefix(30)), to: values.suffix(30).map { $0 + 1 },
        resamples: 400, seed: UInt64(index)
      ).interval
      return interval?.contains(1) == true
    }
    #expect((86...100).contains(held))
  }

  @Test
  func `a sample of one value has no bootstrap interval and equal values have an empty one`() throws
  {
    let single = try Bootstrap.quantileDifference(0.5, from: [1], to: [3, 4])
    #expect(single.value == 2.5 && single.interval == nil && single.valuesNeeded == 2)
    #expect(try Bootstrap.quantileDifference(0.5, from: [1, 1], to: [2, 2]).interval == 1...1)
  }
}
