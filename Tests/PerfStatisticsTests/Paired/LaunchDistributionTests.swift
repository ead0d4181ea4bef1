import Foundation
import PerfModel
import Testing

@testable import PerfStatistics

struct LaunchDistributionTests {
  /// The launches of a side of a pair: 100 with noise of 0.2 %, and 180 for slow ones.
  private func launches(_ share: Double, _ generator: inout SeededGenerator) -> [Double] {
    (0..<4).map { _ in
      let isSlow = generator.nextUniform() < share
      return (isSlow ? 180 : 100) * (1 + 0.004 * (generator.nextUniform() - 0.5))
    }
  }

  /// Judges a comparison with a slow mode on both sides.
  private func judge(
    _ base: Double, _ candidate: Double, seed: UInt64, margin: Double = 0.02, limit: Int = 40
  ) throws -> MetricJudgement {
    var generator = SeededGenerator(seed: seed)
    var judge = try PairedData.judge(
      margin: .init(relative: margin), gatingCount: 5, launches: 4)
    PairedData.feed(&judge, limit: limit) { _ in
      PairedData.wall(launches(base, &generator), launches(candidate, &generator))
    }
    return try #require(judge.judgements.first)
  }

  @Test
  func `half instead of a tenth of slow launches is regressed and never equivalent`() throws {
    // The mean rises by 40 % of 80 % on 108. Signs of whole pairs need 28 to 56 of them.
    for seed in 1...30 as ClosedRange<UInt64> {
      let metric = try judge(0.1, 0.5, seed: seed, limit: 80)
      #expect(metric.verdict == .regressed, "seed \(seed)")
      let slow = try #require(metric.slowLaunches)
      #expect(slow.base < 0.3 && slow.candidate > 0.3 && isClose(slow.beyond, 0.8, within: 0.02))
      #expect((0.1...0.5).contains(try #require(metric.estimate)))
      #expect(metric.note.contains("of the launches are in the slow mode"))
    }
  }

  @Test
  func `a slow mode that disappears is improved`() throws {
    let metric = try judge(0.5, 0.1, seed: 1)
    #expect(metric.verdict == .improved && (metric.estimate ?? 0) < -0.1)
  }

  @Test
  func `a faster centre with a slow mode of half of the launches is never improved`() throws {
    // Fast launches take 5 % less, half of the launches 80 % more: the mean rises by a third.
    for seed in 300..<330 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var judge = try PairedData.judge(margin: .init(relative: 0.02), gatingCount: 1, launches: 4)
      PairedData.feed(&judge, limit: 40) { _ in
        PairedData.wall(
          launches(0, &generator), launches(0.5, &generator).map { 0.95 * $0 })
      }
      let metric = try #require(judge.judgements.first)
      #expect(metric.verdict == .regressed, "seed \(seed)")
    }
  }

  @Test
  func `single launches are equivalent from 28 of each side on`() throws {
    var generator = SeededGenerator(seed: 5)
    var judge = try PairedData.judge(margin: .init(relative: 0.02), launches: 1)
    func pair() -> LaunchPair {
      PairedData.wall([100 + generator.nextUniform()], [100 + generator.nextUniform()])
    }
    PairedData.feed(&judge, limit: 20) { _ in pair() }
    let early = try #require(judge.judgements.first)
    #expect(early.verdict == nil && early.pairsNeeded == 8)
    #expect(early.note.contains("fewer than 28 launches may miss a slow mode"))
    PairedData.feed(&judge, limit: 8) { _ in pair() }
    let later = try #require(judge.judgements.first)
    #expect(later.verdict == .equivalent && later.decidedAt == 28)
  }

  @Test
  func `an undecided metric has the largest possible change for the worse`() throws {
    func worst(pairs: Int) throws -> Double? {
      var judge = try PairedData.judge(margin: .init(relative: 0.01), launches: 1)
      PairedData.feed(&judge, limit: pairs) { pair in
        PairedData.wall([100], [pair.isMultiple(of: 2) ? 98 : 104])
      }
      let metric = try #require(judge.judgements.first)
      #expect(metric.verdict == nil)
      return metric.comparison.worst
    }
    // A slow mode may be missing in less than 28 launches.
    #expect(try worst(pairs: 20) == nil)
    // The interval of the centre at this look has an error of 0.95 %, which is 2.59 standard deviations
    // of 43.9 ranks from the mean of 203: up to rank 317 of the 406 Walsh averages. Those from rank 302
    // on, of two equal pairs, are 1.04. The mean's interval ends earlier, at 1.0246.
    let largest = try #require(try worst(pairs: 28))
    #expect(isClose(largest, 0.04, within: 1e-9))
  }

  @Test(arguments: [0.1, 0.3, 0.5, 0.9], [0.02, 0])
  func `a slow mode of both sides raises no alarm`(share: Double, margin: Double) throws {
    // Without a margin one of 250 comparisons may raise an alarm; with these seeds none does.
    for seed in 100..<120 as Range<UInt64> {
      let metric = try judge(share, share, seed: seed, margin: margin)
      #expect(metric.verdict == nil || metric.verdict == .equivalent, "seed \(seed)")
    }
  }

  @Test
  func `a rise of the mean by twice the margin is not called equivalent`() throws {
    // 5.4 % more of the launches take 80 % longer.
    for seed in 200..<230 as Range<UInt64> {
      #expect(try judge(0.1, 0.154, seed: seed).verdict != .equivalent, "seed \(seed)")
    }
  }

  @Test
  func `a slow mode of both sides is equivalent after enough pairs`() throws {
    // The mean of four launches has a deviation of 80 * sqrt(0.09 / 4) = 12, the difference of two
    // 17 of 108; an interval of 2.8 deviations within 5 % needs about 80 pairs.
    let metric = try judge(0.1, 0.1, seed: 7, margin: 0.05, limit: 320)
    #expect(metric.verdict == .equivalent)
    let decided = try #require(metric.decidedAt)
    #expect((28...320).contains(decided))
  }

  @Test
  func `an undecided mean has an interval and a forecast`() throws {
    let metric = try judge(0.1, 0.1, seed: 7, limit: 20)
    #expect(metric.verdict == nil)
    #expect(metric.note.hasPrefix("the centre is equivalent, the mean of all launches may not be"))
    // There is no forecast if the estimate is beyond the margin.
    let needed = try (1...20 as ClosedRange<UInt64>).compactMap { seed in
      try judge(0.1, 0.1, seed: seed, margin: 0.05, limit: 20).pairsNeeded
    }
    #expect(!needed.isEmpty && needed.allSatisfy { (8...2540).contains($0) })
  }

  @Test
  func `a worse mode of a metric of which more is better is regressed`() throws {
    var generator = SeededGenerator(seed: 3)
    var judge = try PairedData.judge([TestRuns.rate], margin: .init(absolute: 2), launches: 4)
    func side(_ share: Double) -> [[String: Double]] {
      (0..<4).map { _ in [TestRuns.rate.name: generator.nextUniform() < share ? 60 : 120] }
    }
    PairedData.feed(&judge) { _ in LaunchPair(base: side(0), candidate: side(0.4)) }
    let metric = try #require(judge.judgements.first)
    #expect(metric.verdict == .regressed && (metric.estimate ?? 0) < -10)
  }

  @Test
  func `the p-value of a changed distribution keeps its error`() throws {
    // 400 comparisons of 20 pairs at a two-sided error of 0.2: at most 80 expected, with a standard
    // error of 8. The quantiles are dependent and their sums discrete, so fewer are found.
    let scale = ChangeScale(
      TestRuns.hitches, margin: .init(absolute: 0), base: 1, isPositive: false)
    var generator = SeededGenerator(seed: 12)
    var found = 0
    for _ in 0..<400 {
      let blocks = (0..<20).map { _ in
        let level = generator.nextUniform()
        func side() -> [Double] { (0..<4).map { _ in level + generator.nextUniform() } }
        return (base: side(), candidate: side())
      }
      let all = LaunchDistribution(blocks, scale, .lower)
      if all.change(error: 0.2) != nil { found += 1 }
    }
    #expect((10...104).contains(found))
  }
}
