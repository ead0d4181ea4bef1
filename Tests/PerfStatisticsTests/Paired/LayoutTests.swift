import Foundation
import PerfModel
import Testing

@testable import PerfStatistics

/// Comparisons whose pairs take several links of each side in turn.
struct LayoutTests {
  private static let layouts = 16

  /// Judges a comparison of one gating metric whose layouts move each side by up to the spread.
  ///
  /// The noise of a pair is 0.1 %.
  private func judge(
    _ change: Double, spread: Double, seed: UInt64, margin: Double = 0.01, limit: Int = 80
  ) throws -> MetricJudgement {
    let base = PairedData.noise(seed, Self.layouts)
    let candidate = PairedData.noise(seed + 1000, Self.layouts)
    let noise = PairedData.noise(seed + 2000, limit)
    var judge = try SequentialJudge(
      [TestRuns.time], policy: Scenario.GatePolicy(margin: .init(relative: margin)),
      gating: [TestRuns.time.name], launchesPerPair: 1, layouts: Self.layouts)
    PairedData.feed(&judge, limit: limit) { pair in
      let layout = pair % Self.layouts
      let new = change * (1 + spread * candidate[layout]) * (1 + 0.001 * noise[pair])
      return PairedData.pair(
        [TestRuns.time.name: 1e9 * (1 + spread * base[layout])], [TestRuns.time.name: 1e9 * new])
    }
    return try #require(judge.judgements.first)
  }

  @Test func `the layouts are the units however many pairs share them`() {
    let groups = LayoutGroups([0, 1, 0, 1, 0])
    #expect(groups.means([1, 2, 3, 4, 8]) == [4, 3])
    // The Walsh averages of 1, 3 and 80 are 1, 2, 3, 40.5, 41.5 and 80.
    #expect(groups.centers([1, 2, 3, 4, 80]) == [21.75, 3])
    #expect(groups.sums([1, 2, 3, 4, 8]) == [12, 6])
    #expect(LayoutGroups([5, 6, 7]).centers([3, 1, 2]) == [3, 1, 2])
  }

  @Test func `the variance of pairs has a part from layouts and a part within them`() throws {
    // Layouts with the differences 1, 3 and 5, 7: their means are 2 and 6. Within a layout the mean square
    // is (2 + 2) / 2 = 2, between them 2 (4 + 4) / 1 = 16 = 2 + 2 * 7.
    let groups = LayoutGroups([0, 1, 0, 1])
    let variance = try #require(
      groups.variance([1, 5, 3, 7].map { (base: [0.0], candidate: [$0]) }))
    #expect(isClose(variance.layout, 7) && isClose(variance.pair, 2))
    // The estimate's variance is 7 / 2 from layouts and 2 / 4 from pairs.
    #expect(isClose(variance.fixedShare, 3.5 / 4))
    #expect(LayoutGroups([0, 0]).variance([([0], [1]), ([0], [2])]) == nil)
    #expect(LayoutGroups([0, 1]).variance([([0], [1]), ([0], [2])]) == nil)
  }

  @Test func `launches of one pair per layout show the part of layouts`() throws {
    // The launches of a side are 1 from their mean: variance 2, and 2 (1/2 + 1/2) of a difference. The
    // differences 0, 4 and 8 have the mean square 16 = 2 + 14.
    let pairs = [0.0, 4, 8].map { (base: [0.0, 2], candidate: [$0, $0 + 2]) }
    let variance = try #require(LayoutGroups([0, 1, 2]).variance(pairs))
    #expect(isClose(variance.layout, 14) && isClose(variance.pair, 2))
    // A slow launch is not the layout's: without it the difference is 0 again.
    let slow = [(base: [0.0, 0.1, 0.2], candidate: [0.0, 0.1, 90])]
    let plain = (0..<3).map { _ in (base: [0.0, 0.1, 0.2], candidate: [0.0, 0.1, 0.2]) }
    #expect(try #require(LayoutGroups([0, 1, 2, 3]).variance(slow + plain)).layout < 0.01)
  }

  @Test func `layouts alone are no change`() throws {
    // Sides differ by up to 4 %, by 2 % sqrt(2 / 3) = 1.6 % on average; the mean of sixteen layouts by 0.4 %,
    // so that an alarm needs 2.5 deviations as well as an error of 2 %.
    for seed in 1...40 as ClosedRange<UInt64> {
      let metric = try judge(1, spread: 0.02, seed: seed)
      #expect(metric.verdict != .regressed && metric.verdict != .improved, "seed \(seed)")
    }
  }

  @Test func `one link of each side takes its layout for a change`() throws {
    var judge = try PairedData.judge(margin: .init(relative: 0.01))
    let noise = PairedData.noise(1, 40)
    PairedData.feed(&judge) { pair in
      PairedData.pair(
        [TestRuns.time.name: 1e9], [TestRuns.time.name: 1.02e9 * (1 + 0.001 * noise[pair])])
    }
    #expect(judge.verdict() == .regressed)
  }

  @Test func `a change of two percent is found through layouts`() throws {
    // Layouts move a pair by less than 2 * 0.9 %, so that all layouts agree on the direction, and the
    // sign test of eleven has p = 2 / 2048. The mean is 2 % with a deviation of 0.2 %.
    for seed in 1...40 as ClosedRange<UInt64> {
      let metric = try judge(1.02, spread: 0.009, seed: seed)
      #expect(metric.verdict == .regressed, "seed \(seed)")
    }
  }

  @Test func `an undecided comparison reports the part of the layouts`() throws {
    let metric = try judge(1, spread: 0.02, seed: 3, margin: 0.002)
    #expect(metric.verdict == nil)
    let layout = try #require(metric.layout)
    // The deviation of a difference of two uniform effects is 2 % sqrt(2 / 3) = 1.6 %.
    #expect(layout.share > 0.9 && (0.01...0.024).contains(layout.deviation))
    #expect(metric.note.contains("more layouts would narrow the interval"))
    #expect(metric.pairsNeeded == nil)
  }

  @Test func `more pairs do not reduce the part of the layouts`() throws {
    // The interval must shrink from 2 to 1.5, to 9/16 of its variance. If a quarter of the variance is
    // fixed, the rest must shrink from 3/4 to 5/16: 12/5 times the pairs.
    let change = ChangeRule.Change(estimate: 1.5, decisive: -0.5...3.5, plain: nil)
    let free = try #require(Forecast.pairs(change, margin: 1, now: 10))
    #expect(isClose(free, 10 * 16 / 9))
    let fixed = try #require(Forecast.pairs(change, margin: 1, now: 10, fixedShare: 0.25))
    #expect(isClose(fixed, 24))
    #expect(Forecast.pairs(change, margin: 1, now: 10, fixedShare: 0.6) == nil)
  }
}
