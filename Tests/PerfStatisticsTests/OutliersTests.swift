import PerfStatistics
import Testing

struct OutliersTests {
  @Test
  func `two values far from the rest are outliers`() throws {
    // Median 2.45, median absolute deviation 0.15. SciPy 1.17:
    // (x - median(x)) / median_abs_deviation(x, scale='normal').
    let values = [2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3]
    #expect(try Outliers.indices(in: values) == [8, 9])
    let scores = try Outliers.scores(values)
    #expect(isClose(scores[0], -1.5738094171241874))
    #expect(isClose(scores[9], 26.30510025764713))
  }

  @Test
  func `one different value among equal ones is an outlier by the mean deviation`() throws {
    // The deviations are nine times 0 and once 10: mean 1, so the score is 10 / 1.2533 = 7.98.
    let values = [Double](repeating: 5, count: 9) + [15]
    #expect(try Outliers.indices(in: values) == [9])
    #expect(isClose(try Outliers.scores(values)[9], 10 / 1.2533141373155003))
  }

  @Test
  func `equal values have no outliers`() throws {
    #expect(try Outliers.scores([3, 3, 3]) == [0, 0, 0])
    #expect(try Outliers.indices(in: [3]) == [])
  }
}
