import Testing

@testable import PerfStatistics

struct MultipleTestsTests {
  /// The 15 endpoints of Benjamini and Hochberg 1995, section 3.2: at 0.05 their procedure rejects
  /// four, Bonferroni's and Holm's three.
  let endpoints = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
    0.6528, 0.7590, 1.0,
  ]

  private func holm(_ pValues: [Double]) throws -> [Double] {
    try MultipleTests.holm(pValues.map { ($0, 1) }).map(\.adjusted)
  }

  @Test
  func `the published example rejects four by Benjamini-Hochberg and three by Holm`() throws {
    #expect(try MultipleTests.benjaminiHochberg(endpoints).filter { $0 <= 0.05 }.count == 4)
    #expect(try holm(endpoints).filter { $0 <= 0.05 }.count == 3)
  }

  @Test
  func `q-values agree with SciPy`() throws {
    // SciPy 1.17: false_discovery_control(endpoints).
    let expected = [
      0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714285714286, 0.06385714285714286, 0.0645,
      0.0765, 0.486, 0.5811818181818181, 0.7148749999999999, 0.7532307692307693,
      0.8132142857142857, 1,
    ]
    let adjusted = try MultipleTests.benjaminiHochberg(endpoints)
    #expect(zip(adjusted, expected).allSatisfy { isClose($0, $1) })
  }

  @Test
  func `Holm multiplies by the number of remaining tests and keeps the order of the input`() throws
  {
    // Ascending: 0.01 x 4, 0.02 x 3, 0.03 x 2 (at least the previous one), 0.04 x 1 (likewise).
    let adjusted = try holm([0.04, 0.01, 0.03, 0.02])
    let expected = [0.06, 0.04, 0.06, 0.06]
    #expect(zip(adjusted, expected).allSatisfy { isClose($0, $1) })
  }

  @Test
  func `tests with a larger weight have a larger share of the error`() throws {
    // p / weight is 0.02 / 4 = 0.005, 0.006 / 1 and 0.03 / 3 = 0.01. Times the remaining weights 8,
    // 4 and 3: 0.04, 0.024 (at least the previous one) and 0.03 (likewise).
    let steps = try MultipleTests.holm([(0.03, 3), (0.02, 4), (0.006, 1)])
    #expect(zip(steps.map(\.adjusted), [0.04, 0.04, 0.04]).allSatisfy { isClose($0, $1) })
    #expect(steps.map(\.left) == [3, 8, 4])
  }

  @Test
  func `no p-values give no result and a number that is not a probability is refused`() throws {
    #expect(try holm([]) == [])
    #expect(throws: StatisticsError.self) { try MultipleTests.benjaminiHochberg([0.5, .nan]) }
  }
}
