import Testing

@testable import PerfStatistics

struct BlockedMeansTests {
  @Test
  func `one block of two launches per side has the manually computed p-value and interval`() throws
  {
    let means = try #require(BlockedMeans([1, 3], [2, 6], blocksOf: 2))
    #expect(means.difference == 2)
    // Around the common mean of 3 the squares are 4 + 0 + 1 + 9 = 14. With three degrees of freedom
    // the variance is 14/3, which is also the variance of the difference (2/2 of it). 2 /
    // sqrt(14/3) = 0.9258; twice the normal tail is 0.3545. (For so few launches this is rough: the
    // six assignments have differences -3, -2, -1, 1, 2 and 3, of which four are at least 2.)
    #expect(isClose(means.p, 0.354539, within: 1e-6))
    // Within the sides the squares 2 + 8 with two degrees of freedom give 5. Student's t of two
    // degrees at 95 % is 4.302653.
    let interval = means.interval(error: 0.05)
    let reach = 5.0.squareRoot() * 4.302653
    #expect(isClose(interval.lowerBound, 2 - reach, within: 1e-5))
    #expect(isClose(interval.upperBound, 2 + reach, within: 1e-5))
  }

  @Test
  func `the p-value approximates the share of all assignments`() throws {
    // 38,682 of the 20^5 = 3,200,000 assignments of three of six launches in five blocks have a
    // difference at least as large: 0.012088.
    let blocks: [(base: [Double], candidate: [Double])] = [
      ([12, 15, 11], [18, 14, 20]), ([31, 29, 35], [33, 38, 30]), ([7, 9, 6], [8, 13, 10]),
      ([22, 28, 21], [24, 26, 30]), ([16, 13, 19], [15, 20, 18]),
    ]
    var counts: [Double: Int] = [0: 1]
    for block in blocks {
      let values = block.base + block.candidate
      let all = values.reduce(0, +)
      var next: [Double: Int] = [:]
      for draw in 0..<64 where draw.nonzeroBitCount == 3 {
        let drawn = values.indices.reduce(0) { $0 + (draw >> $1 & 1 == 1 ? values[$1] : 0) }
        for (sum, count) in counts { next[sum + 2 * drawn - all, default: 0] += count }
      }
      counts = next
    }
    let (old, new) = (blocks.flatMap(\.base), blocks.flatMap(\.candidate))
    let means = try #require(BlockedMeans(old, new, blocksOf: 3))
    let seen = new.reduce(0, +) - old.reduce(0, +)
    let extreme = counts.filter { $0.key.magnitude >= seen }.values.reduce(0, +)
    #expect(counts.values.reduce(0, +) == 3_200_000 && extreme == 38_682)
    #expect(isClose(means.difference, seen / 15))
    #expect(isClose(means.p, 0.012088, within: 0.0005))
  }

  @Test
  func `disturbances shared by a block cancel`() throws {
    let (old, new) = ([1.0, 2, 3, 4], [2.0, 3, 4, 5])
    let plain = try #require(BlockedMeans(old, new, blocksOf: 2))
    let shifted = try #require(
      BlockedMeans([101, 102, 3, 4], [102, 103, 4, 5], blocksOf: 2))
    #expect(isClose(plain.p, shifted.p) && isClose(shifted.difference, 1))
    #expect(isClose(plain.interval(error: 0.1).lowerBound, shifted.interval(error: 0.1).lowerBound))
  }

  @Test
  func `a p-value is at least the probability of the rarest assignment`() throws {
    // The sides of one block do not overlap: p is the probability of a single one among 70
    // assignments, and of its mirror image.
    let means = try #require(BlockedMeans([1, 1, 1, 1], [2, 2, 2, 2], blocksOf: 4))
    #expect(isClose(means.p, 2 / 70.0))
    // There is no variance within a side.
    #expect(means.interval(error: 0.05) == 1...1)
  }

  @Test
  func `equal launches give a p-value of one`() throws {
    let means = try #require(BlockedMeans([5, 5], [5, 5], blocksOf: 2))
    #expect(means.p == 1 && means.interval(error: 0.05) == 0...0)
  }

  @Test(
    arguments: [
      ([], [], 2), ([1], [2], 1), ([1, 2, 3], [1, 2, 3], 2), ([1, 2], [1, 2, 3, 4], 2),
    ] as [([Double], [Double], Int)])
  func `incomplete blocks and blocks of one are refused`(
    _ base: [Double], _ candidate: [Double], _ size: Int
  ) {
    #expect(BlockedMeans(base, candidate, blocksOf: size) == nil)
  }

  @Test
  func `false alarms keep their rate for counts with slow phases`() throws {
    // 2,000 comparisons of 11 blocks of 4 + 4; each launch has 0 to 3 samples and is slow with
    // probability 1/3.
    var generator = SeededGenerator(seed: 7)
    func launches() -> [Double] {
      (0..<44).map { _ in
        let level = generator.nextUniform() < 1 / 3.0 ? 1.5 : 1
        return level * Double((0..<3).count { _ in generator.nextUniform() < 0.3 })
      }
    }
    var alarms = [0.05: 0, 0.005: 0]
    for _ in 0..<2000 {
      let p = try #require(BlockedMeans(launches(), launches(), blocksOf: 4)).p
      for level in alarms.keys where p <= level { alarms[level, default: 0] += 1 }
    }
    // Binomial: 100 +- 9.7 and 10 +- 3.2; the bounds are three standard deviations above.
    #expect(alarms[0.05, default: 0] <= 130 && alarms[0.005, default: 0] <= 20)
    #expect(alarms[0.05, default: 0] >= 70)
  }
}
