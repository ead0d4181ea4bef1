import Testing

@testable import PerfStatistics

struct ChangePointsTests {
  /// Returns nearly normal noise with a standard deviation of 1: sums of 12 uniform values.
  func normal(_ seed: UInt64, _ count: Int) -> [Double] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      (0..<12).reduce(-6) { sum, _ in sum + generator.nextUniform() }
    }
  }

  @Test
  func `the energy distance of two segments agrees with the formula of the paper`() {
    // By NumPy: 3 * 2 / 5 (2 E|X - Y| - E|X - X'| - E|Y - Y'|) of 1, 2, 4 and 6, 9: 2 * 31/6 - 2 - 3
    // = 16/3, times 6/5.
    let energy = SegmentEnergy([1, 2, 4, 6, 9])
    #expect(isClose(energy.distance(3, 5), 6.4))
    #expect(energy.best(smallestPart: 2)?.index == 3)
    #expect(SegmentEnergy([1, 2, 3]).best(smallestPart: 2) == nil)
  }

  @Test
  func `a step is found at its place`() throws {
    let noise = normal(1, 60)
    let series = (0..<60).map { 100 + 3 * noise[$0] + ($0 < 37 ? 0 : 15) }
    let points = try ChangePoints.find(in: series)
    #expect(points.map(\.index) == [37])
    let point = try #require(points.first)
    // No permutation has an equally good split: p = 1 / 500.
    #expect(point.p == 1 / 500.0)
    #expect((98...102).contains(point.before) && (113...117).contains(point.after))
  }

  @Test(arguments: [3, 4])
  func `a step shortly before an end is found at its place`(count: Int) throws {
    // Seconds of a shell script, and 0.06 s more.
    let noise = normal(5, 16)
    let late = (0..<16).map { 0.026 + 0.001 * noise[$0] + ($0 < 16 - count ? 0 : 0.06) }
    let last = try ChangePoints.find(in: late)
    #expect(last.map(\.index) == [16 - count])
    let early = Array(late.reversed())
    let first = try ChangePoints.find(in: early)
    #expect(first.map(\.index) == [count])
  }

  @Test
  func `a rise and a fall are two changes`() throws {
    let noise = normal(2, 60)
    let series = (0..<60).map { 100 + noise[$0] + ((20..<32).contains($0) ? 6 : 0) }
    let points = try ChangePoints.find(in: series)
    #expect(points.map(\.index) == [20, 32])
    #expect(points[0].after == points[1].before)
  }

  @Test
  func `a constant level and a single outlier are no changes`() throws {
    var series = normal(3, 60)
    #expect(try ChangePoints.find(in: series, level: 0.01).isEmpty)
    series[30] = 40
    #expect(try ChangePoints.find(in: series, level: 0.01).isEmpty)
    #expect(try ChangePoints.find(in: [Double](repeating: 1, count: 40)).isEmpty)
  }

  @Test
  func `too few values have no change points`() throws {
    #expect(try ChangePoints.find(in: [1, 1, 1, 1, 9, 9, 9, 9, 9]).isEmpty)
    #expect(throws: StatisticsError.self) { try ChangePoints.find(in: []) }
    #expect(throws: StatisticsError.self) { try ChangePoints.find(in: [1, .nan]) }
  }
}
