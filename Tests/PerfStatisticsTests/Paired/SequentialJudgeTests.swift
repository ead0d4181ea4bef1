import Foundation
import PerfModel
import Testing

@testable import PerfStatistics

struct SequentialJudgeTests {
  let margin = Scenario.Margin(relative: 0.02)

  @Test
  func `an increase by three percent in every pair is regressed at the first look`() throws {
    var judge = try PairedData.judge()
    #expect(judge.nextLook == 11)
    PairedData.feed(&judge) { PairedData.wall([100 + Double($0)], [103 + 1.03 * Double($0)]) }
    #expect(judge.pairs == 11 && judge.isDecided && judge.nextLook == nil)
    let metric = try #require(judge.judgements.first)
    #expect(metric.verdict == .regressed && metric.decidedAt == 11)
    // Every ratio is 1.03, so the limits are, too. The medians are of 100...110 and of 1.03 times
    // that.
    #expect(isClose(metric.estimate, 0.03) && isClose(metric.low, 0.03))
    #expect(isClose(metric.base, 105) && isClose(metric.candidate, 108.15))
    // All 11 signs are equal.
    #expect(metric.p == 0x1p-10)
    #expect(metric.pairsNeeded == nil && metric.note.isEmpty)
    #expect(judge.verdict() == .regressed && judge.verdict(isVoid: true) == .void)
  }

  @Test
  func `a decrease is regressed if higher values are better`() throws {
    var judge = try PairedData.judge([TestRuns.rate], margin: .init(absolute: 1))
    PairedData.feed(&judge) { _ in PairedData.pair(["frame.rate": 120], ["frame.rate": 110]) }
    #expect(judge.verdict() == .regressed)
    var better = try PairedData.judge([TestRuns.rate], margin: .init(absolute: 1))
    PairedData.feed(&better) { _ in PairedData.pair(["frame.rate": 110], ["frame.rate": 120]) }
    #expect(better.verdict() == .improved)
  }

  @Test
  func `noise well within the margin is equivalent at the second look`() throws {
    let noise = PairedData.noise(1, 400)
    var judge = try PairedData.judge(launches: 4)
    PairedData.feed(&judge) { pair in
      let times = noise[(8 * pair)..<(8 * pair + 8)].map { 100 + 0.5 * $0 }
      return PairedData.wall(Array(times[..<4]), Array(times[4...]))
    }
    let metric = try #require(judge.judgements.first)
    #expect(metric.verdict == .equivalent)
    // A pair without a launch in the upper quarter is no evidence about it, so 11 do not suffice.
    #expect(metric.decidedAt == 14)
    let (low, high) = (try #require(metric.low), try #require(metric.high))
    #expect(low > -0.01 && high < 0.01)
    #expect(judge.verdict() == .equivalent)
  }

  @Test
  func `an undecided metric after forty pairs has a forecast of further pairs`() throws {
    // Both sides vary by +-8 %: the ratios have a standard deviation of 6.5 %, the centre of 40
    // ratios one of 1 %, and the equivalence interval extends 2.4 of them.
    let noise = PairedData.noise(2, 80)
    var judge = try PairedData.judge()
    PairedData.feed(&judge) {
      PairedData.wall([100 * (1 + 0.08 * noise[2 * $0])], [100 * (1 + 0.08 * noise[2 * $0 + 1])])
    }
    #expect(judge.pairs == 40 && judge.nextLook == 56)
    let metric = try #require(judge.judgements.first)
    #expect(metric.verdict == nil && metric.decidedAt == nil)
    #expect(metric.note == "the interval contains both zero and the margin")
    #expect(judge.verdict() == .inconclusive)
    let needed = try #require(metric.pairsNeeded)
    #expect((5...400).contains(needed))
  }

  @Test
  func `a change near the margin has no forecast`() throws {
    let other = MetricDefinition(
      name: "cpu.total", dimension: .time, direction: .lower, scale: .ratio, summary: "")
    func needed(_ metric: MetricDefinition) throws -> Int? {
      var judge = try PairedData.judge([metric], gatingCount: 2)
      for pair in 0..<11 {
        // Ratios vary by +-10 % around zero, and around just below the margin, for which no number
        // of pairs suffices.
        let spread = exp(0.02 * Double(pair - 5))
        judge.add(
          PairedData.pair(
            ["wall": 1, "cpu.total": 1], ["wall": spread, "cpu.total": 1.0199 * spread]))
      }
      return try #require(judge.judgements.first).pairsNeeded
    }
    #expect(try needed(other) == nil)
    #expect(try #require(try needed(TestRuns.time)) > 29)
  }

  @Test
  func `a verdict is final while other metrics continue`() throws {
    let hitches = TestRuns.hitches
    var judge = try SequentialJudge(
      [TestRuns.time, hitches],
      policy: Scenario.GatePolicy(
        metrics: [hitches.name: Scenario.Margin(absolute: 1), "wall": margin]),
      gating: ["wall", hitches.name], launchesPerPair: 1)
    PairedData.feed(&judge) { index in
      // Wall time is slower in the first eleven pairs and faster afterwards; hitches stay open.
      PairedData.pair(
        ["wall": 100, hitches.name: 5],
        ["wall": index < 11 ? 110 : 50, hitches.name: index.isMultiple(of: 2) ? 0 : 10])
    }
    let (wall, open) = (judge.judgements[0], judge.judgements[1])
    #expect(wall.verdict == .regressed && wall.decidedAt == 11 && wall.pairs == 11)
    #expect(isClose(wall.estimate, 0.1))
    #expect(open.verdict == nil && open.pairs == 40)
    // Regressed precedes inconclusive.
    #expect(judge.verdict() == .regressed)
  }

  @Test
  func `the judge of the gating metrics alone gives them the same verdicts`() throws {
    let noise = PairedData.noise(3, 20)
    let names = ["wall", TestRuns.hitches.name, "unknown"]
    var whole = try SequentialJudge(
      TestRuns.definitions, policy: Scenario.GatePolicy(margin: margin), gating: names,
      gatingCount: 4, launchesPerPair: 1)
    var gating = whole.ofGatingMetrics
    #expect(gating.missing == ["unknown"] && whole.missing == ["unknown"])
    for change in noise {
      // Wall time rises by 4 to 6 %, and the other metrics vary.
      let pair = PairedData.pair(
        ["wall": 100, TestRuns.hitches.name: 5, TestRuns.rate.name: 60],
        [
          "wall": 105 + change, TestRuns.hitches.name: 5 + change,
          TestRuns.rate.name: 60 + change,
        ])
      whole.add(pair)
      gating.add(pair)
      #expect(gating.judgements == whole.judgements.filter(\.isGating))
      #expect(gating.nextLook == whole.nextLook && gating.isDecided == whole.isDecided)
    }
    #expect(gating.judgements.count == 2 && gating.pairs == 20)
    // By LookSchedule's table, the first look of four metrics is after 12 pairs.
    #expect(gating.judgements.first?.decidedAt == 12)
    #expect(gating.verdict() == .regressed && whole.verdict() == .regressed)
  }

  @Test
  func `an interrupted measurement continues with the same verdicts`() throws {
    let noise = PairedData.noise(7, 200)
    let pairs = (0..<40).map {
      PairedData.wall([100 + 4 * noise[2 * $0]], [101 + 4 * noise[2 * $0 + 1]])
    }
    var whole = try PairedData.judge()
    for pair in pairs { whole.add(pair) }
    var again = try PairedData.judge()
    for pair in pairs.prefix(17) { again.add(pair) }
    let stopped = again.judgements
    #expect(stopped.first?.verdict == nil && stopped.first?.low != nil)
    for pair in pairs.dropFirst(17) { again.add(pair) }
    #expect(again.judgements == whole.judgements)
  }

  @Test
  func `zero differences are equivalent for any margin`() throws {
    var judge = try PairedData.judge([TestRuns.hitches], margin: .init(relative: 0.02))
    PairedData.feed(&judge) { _ in
      PairedData.pair([TestRuns.hitches.name: 0], [TestRuns.hitches.name: 0])
    }
    let metric = try #require(judge.judgements.first)
    #expect(metric.verdict == .equivalent && metric.decidedAt == 11 && metric.p == 1)
    #expect(metric.low == 0 && metric.high == 0 && metric.margin == 0)
  }

  @Test
  func `a few hitches among many zeros are not a regression`() throws {
    var judge = try PairedData.judge([TestRuns.hitches], margin: .init(absolute: 1))
    PairedData.feed(&judge, limit: 11) { index in
      PairedData.pair(
        [TestRuns.hitches.name: 0], [TestRuns.hitches.name: index.isMultiple(of: 6) ? 11 : 0])
    }
    let metric = try #require(judge.judgements.first)
    #expect(metric.verdict == nil)
    // Two of eleven pairs differ, by 11.
    #expect(isClose(metric.estimate, 2) && metric.low == 0)
  }

  @Test
  func `both parts of a margin must be exceeded`() throws {
    func verdict(_ change: Double, _ margin: Scenario.Margin) throws -> ComparisonVerdict {
      var judge = try PairedData.judge([TestRuns.hitches], margin: margin)
      PairedData.feed(&judge) { index in
        PairedData.pair(
          [TestRuns.hitches.name: 20], [TestRuns.hitches.name: 20 + change])
      }
      return judge.verdict()
    }
    // 10 % of 20 is 2.
    #expect(try verdict(3, .init(relative: 0.1, absolute: 1)) == .regressed)
    #expect(try verdict(1.5, .init(relative: 0.1, absolute: 1)) == .equivalent)
    #expect(try verdict(3, .init(relative: 0.1, absolute: 5)) == .equivalent)
    #expect(try verdict(1.5, .init(absolute: 1)) == .regressed)
  }

  @Test
  func `more gating metrics need more pairs before the first look`() throws {
    var judge = try PairedData.judge(gatingCount: 9)
    PairedData.feed(&judge) { _ in PairedData.wall([100], [110]) }
    #expect(judge.pairs == 13)
  }

  @Test
  func `common drift of both sides is no change`() throws {
    // Both sides become ten times slower, equal apart from half a percent.
    let noise = PairedData.noise(3, 100)
    var judge = try PairedData.judge()
    PairedData.feed(&judge) { index in
      let level = 100 * Double(1 + index)
      return PairedData.wall(
        [level * (1 + 0.005 * noise[2 * index])], [level * (1 + 0.005 * noise[2 * index + 1])])
    }
    #expect(judge.verdict() == .equivalent)
  }

  @Test
  func `the minimum represents four launches without hiding changes of the others`() throws {
    let noise = PairedData.noise(9, 1000)
    func values(_ pair: Int, _ side: Int, slow: Double) -> [Double] {
      (0..<4).map { launch in
        let place = 8 * pair + 4 * side + launch
        return (launch == 0 ? slow : 1) * 100 * (1 + 0.002 * noise[place])
      }
    }
    // One launch in four is slower by half: the minimum does not change, the mean rises by 12.5 %.
    var judge = try PairedData.judge(launches: 4)
    PairedData.feed(&judge) {
      PairedData.wall(values($0, 0, slow: 1), values($0, 1, slow: 1.5))
    }
    let metric = try #require(judge.judgements.first)
    // The third of the first looks is the first one at the distribution.
    #expect(metric.verdict == .regressed && metric.decidedAt == 20)
    #expect(isClose(metric.estimate, 0.125, within: 0.005))
    #expect(isClose(metric.base, 100, within: 0.5) && isClose(metric.candidate, 112.5, within: 0.5))
    let slow = try #require(metric.slowLaunches)
    #expect(slow.base == 0 && slow.candidate == 0.25 && isClose(slow.beyond, 0.5, within: 0.01))
    #expect(
      metric.note.hasPrefix(
        "the distribution changed: 0% to 25% of the launches are in the slow mode, "))
    #expect(
      metric.comparison.movement.hasPrefix(
        "the distribution of wall changed: 0% to 25% of the launches are in the slow mode, so that "
          + "the mean rose by 12."))
    // An equal effect on both sides is caused by the machine.
    var same = try PairedData.judge(launches: 4)
    PairedData.feed(&same) {
      PairedData.wall(values($0, 0, slow: 1.5), values($0, 1, slow: 1.5))
    }
    #expect(same.verdict() == .equivalent)
  }

  @Test
  func `metrics that do not gate are judged but stop nothing`() throws {
    var judge = try SequentialJudge(
      [TestRuns.hitches, TestRuns.time], policy: Scenario.GatePolicy(), gating: ["wall"],
      launchesPerPair: 1)
    PairedData.feed(&judge) { _ in
      PairedData.pair(
        ["wall": 100, TestRuns.hitches.name: 1], ["wall": 100, TestRuns.hitches.name: 9])
    }
    #expect(judge.pairs == 11)
    #expect(judge.judgements.map(\.isGating) == [true, false])
    #expect(judge.judgements.map(\.verdict) == [.equivalent, .regressed])
    #expect(judge.verdict() == .equivalent)
  }

  @Test
  func `metrics that do not gate have the same looks for any number of them`() throws {
    let others = (0..<30).map {
      MetricDefinition(
        name: "other.\($0)", dimension: .time, direction: .lower, scale: .ratio, summary: "")
    }
    var judge = try SequentialJudge(
      [TestRuns.time] + others, policy: Scenario.GatePolicy(), gating: ["wall"],
      launchesPerPair: 1)
    let base = others.reduce(into: ["wall": 100.0]) { $0[$1.name] = 100 }
    let candidate = base.mapValues { $0 * 1.5 }
    PairedData.feed(&judge) { _ in PairedData.pair(base, candidate) }
    #expect(judge.pairs == 11)
    #expect(judge.judgements.map(\.decidedAt) == [Int?](repeating: 11, count: 31))
  }
}
