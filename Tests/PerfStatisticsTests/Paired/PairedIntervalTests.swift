import Testing

@testable import PerfStatistics

struct PairedIntervalTests {
  /// The data of `SignFlipTests`: Fisher 1935, section 21, in eighths of an inch.
  let maize: [Double] = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

  @Test
  func `Walsh averages give the published interval of the depression example`() throws {
    // Hollander, Wolfe and Chicken 2014, example 3.3: -0.786 to -0.010, two-sided error 20/512.
    let averages = try WalshAverages(SignedRankTests().depression)
    let interval = try #require(averages.interval(error: 20 / 512.0))
    #expect(isClose(interval.lowerBound, -0.786) && isClose(interval.upperBound, -0.010))
    #expect(isClose(averages.estimate, -0.46))
    // The smallest error of 9 signs is 2/512.
    #expect(averages.interval(error: 1 / 512.0) == nil)
  }

  @Test
  func `the limits of the sign-flip interval are means of subsets`() throws {
    // The subsets of 1, 2, 4 have means 1, 1.5, 2, 7/3, 2.5, 3, 4. A two-sided error of 1/4 of 8
    // patterns leaves one mean outside on each side, 1/2 leaves two.
    let flips = try SignFlipIntervals([4, 1, 2])
    #expect(isClose(flips.estimate, 7 / 3.0))
    let quarter = try #require(flips.interval(error: 0.25))
    #expect(isClose(quarter.lowerBound, 1) && isClose(quarter.upperBound, 4))
    let half = try #require(flips.interval(error: 0.5))
    #expect(isClose(half.lowerBound, 1.5) && isClose(half.upperBound, 3))
    #expect(flips.interval(error: 0.24) == nil)
  }

  @Test
  func `the sign-flip interval of Darwin's maize agrees with the enumeration`() throws {
    // All 2^15 - 1 subset means, counted in Python: the 819th in ascending order (2.5 % of 32,768)
    // and its mirror.
    let flips = try SignFlipIntervals(maize)
    #expect(isClose(flips.estimate, 314 / 15.0))
    let interval = try #require(flips.interval(error: 0.05))
    #expect(isClose(interval.lowerBound, -0.16666666666666666, within: 1e-9))
    #expect(isClose(interval.upperBound, 41.0, within: 1e-9))
  }

  @Test
  func `a sign-flip interval excludes zero exactly if the test rejects`() throws {
    var generator = SeededGenerator(seed: 8)
    var rejected = 0
    for _ in 0..<60 {
      let sample = (0..<8).map { _ in (generator.nextUniform() * 6 - 2).rounded() }
      let interval = try #require(try SignFlipIntervals(sample).interval(error: 0.05))
      let p = try SignFlip.test(sample).p
      #expect(interval.contains(0) == (p > 0.05))
      if p <= 0.05 { rejected += 1 }
    }
    #expect((1..<60).contains(rejected))
  }

  @Test
  func `zeros and ties are kept in the sign-flip interval`() throws {
    // Most subsets have a mean of zero or below one: the lower limit is exactly zero.
    let few: [Double] = [0, 0, 0, 0, 0, 0, 0, 0, 5, 5]
    let interval = try #require(try SignFlipIntervals(few).interval(error: 0.01))
    #expect(interval.lowerBound == 0 && interval.upperBound > 1)
    #expect(
      try SignFlipIntervals([0, 0, 0, 0, 0, 0]).interval(error: 0.05) == 0...0)
  }

  @Test
  func `the sign-flip interval of forty differences is close to the signed rank interval`() throws {
    let values = PairedData.noise(4, 40).map { $0 + 0.3 }
    let flips = try SignFlipIntervals(values)
    let random = try #require(flips.interval(error: 0.01))
    // Both extend about 2.7 standard errors (0.58 / sqrt(40) = 0.091) on each side.
    let ranks = try #require(try WalshAverages(values).interval(error: 0.01))
    #expect((random.lowerBound - ranks.lowerBound).magnitude < 0.091)
    #expect((random.upperBound - ranks.upperBound).magnitude < 0.091)
  }
}
