import PerfStatistics
import Testing

struct QuantilesTests {
  /// Ten arbitrary values, unordered.
  let values = [7.1, 2.5, 9.3, 4.4, 8.8, 1.2, 6.6, 3.9, 5.0, 10.7]

  /// numpy.quantile(values, q), whose default is type 7.
  @Test(arguments: [
    (0, 1.2), (0.1, 2.37), (0.25, 4.025), (0.5, 5.8), (0.9, 9.44), (0.95, 10.07), (1, 10.7),
  ])
  func `quantiles agree with NumPy (type 7)`(probability: Double, expected: Double) throws {
    #expect(isClose(try Quantiles.quantile(probability, of: values), expected))
  }

  @Test
  func `the median of an even count is the mean of the middle two`() throws {
    #expect(try Quantiles.median(of: [4, 1, 3, 2]) == 2.5)
    #expect(try Quantiles.median(of: [4, 1, 3]) == 3)
    #expect(try Quantiles.median(of: [4]) == 4)
  }

  @Test
  func `an empty sample has no median`() {
    #expect(throws: StatisticsError.emptySample("the sample")) { try Quantiles.median(of: []) }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a value that is not finite is refused with its index`(bad: Double) {
    #expect(throws: StatisticsError.notFinite("the sample", index: 1)) {
      try Quantiles.median(of: [1, bad])
    }
  }

  @Test
  func `a probability outside of 0 to 1 is refused`() {
    #expect(
      throws: StatisticsError.outOfRange(
        parameter: "the quantile's probability", value: 1.5, range: "0...1")
    ) { try Quantiles.quantile(1.5, of: values) }
  }

  @Test
  func `the interval of the median of ten values is from the second to the ninth`() throws {
    // P(B <= 1) = 11/1024 = 0.0107 <= 0.025 < P(B <= 2) = 0.0547, B ~ Bin(10, 1/2); coverage
    // 1 - 2 x 11/1024. SciPy 1.17: quantile_test(values, p=0.5).confidence_interval(0.95) is the same.
    let estimate = try Quantiles.estimate(0.5, of: values)
    #expect(estimate.low == 2.5)
    #expect(estimate.high == 9.3)
    #expect(isClose(estimate.coverage, 1 - 22 / 1024.0))
    #expect(estimate.method == .exact)
    #expect(estimate.valuesNeeded == 6)
  }

  @Test
  func `a median needs six values for an interval at 95 percent`() throws {
    // 2 x 2^-5 = 0.0625 > 0.05 >= 2 x 2^-6 = 0.03125.
    let five = try Quantiles.estimate(0.5, of: [1, 2, 3, 4, 5])
    #expect(five.value == 3)
    #expect(five.low == nil && five.high == nil && five.coverage == nil && five.interval == nil)
    #expect(five.valuesNeeded == 6)
    let six = try Quantiles.estimate(0.5, of: [1, 2, 3, 4, 5, 6])
    #expect(six.interval == 1...6)
    #expect(isClose(six.coverage, 0.96875))
  }

  @Test
  func `a confidence that six values reach exactly has an interval`() throws {
    let estimate = try Quantiles.estimate(0.5, of: [1, 2, 3, 4, 5, 6], confidence: 0.96875)
    #expect(estimate.interval == 1...6)
  }

  @Test
  func `a high quantile of few values has only a lower limit`() throws {
    // SciPy 1.17: quantile_test(values, p=0.9).confidence_interval(0.95) is (7.1, nan).
    let estimate = try Quantiles.estimate(0.9, of: values)
    #expect(estimate.low == 7.1)
    #expect(estimate.high == nil)
    // 0.9^35 = 0.0250315 > 0.025 >= 0.9^36.
    #expect(estimate.valuesNeeded == 36)
  }

  @Test
  func `an interval of thousands of values does not underflow`() throws {
    // 0.5^5000 underflows to 0. By the normal approximation the ranks of the limits are 2500 -+
    // 1.96 x sqrt(1250) = 2430.7 and 2569.3.
    let estimate = try Quantiles.estimate(0.5, of: (1...5000).map(Double.init))
    #expect(isClose(estimate.low, 2431, within: 1.5 / 2431))
    #expect(isClose(estimate.high, 2570, within: 1.5 / 2570))
  }
}
