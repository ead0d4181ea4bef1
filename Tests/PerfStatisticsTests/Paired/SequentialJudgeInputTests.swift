import PerfModel
import PerfStatistics
import Testing

/// Tests of missing, invalid and too few values.
struct SequentialJudgeInputTests {
  @Test(arguments: [0, 1, 2])
  func `the note before the first look contains the number of pairs`(count: Int) throws {
    var judge = try PairedData.judge()
    PairedData.feed(&judge, limit: count) { PairedData.wall([100], [104 + Double($0)]) }
    let metric = try #require(judge.judgements.first)
    #expect(
      metric.verdict == nil && metric.low == nil && metric.high == nil && metric.pairs == count)
    #expect(metric.pairsNeeded == 11 - count)
    #expect(judge.nextLook == 11 && !judge.isDecided)
    #expect(judge.verdict() == .inconclusive)
    #expect(metric.comparison.verdict == .inconclusive)
    if count > 0 {
      #expect(metric.note == "the first look needs 11 pairs, the metric has \(count)")
      #expect(isClose(metric.estimate, 0.04 + 0.005 * Double(count - 1), within: 1e-4))
    } else {
      #expect(metric.estimate == nil && metric.base == nil && metric.candidate == nil)
    }
  }

  @Test
  func `a metric that the candidate lacks is inconclusive, with a note`() throws {
    var judge = try PairedData.judge()
    PairedData.feed(&judge) { _ in PairedData.pair(["wall": 1], [:]) }
    #expect(judge.pairs == 11)
    let metric = try #require(judge.judgements.first)
    #expect(metric.verdict == .inconclusive && metric.pairsNeeded == nil)
    #expect(metric.note == "no values in the candidate")
  }

  @Test(arguments: [Double.nan, .infinity, -3])
  func `a negative or non-finite time counts as missing and prevents an improvement`(
    bad: Double
  ) throws {
    func judged(_ candidate: Double) throws -> (SequentialJudge, MetricJudgement) {
      var judge = try PairedData.judge()
      PairedData.feed(&judge) { PairedData.wall([100], [$0 == 3 ? bad : candidate]) }
      return (judge, try #require(judge.judgements.first))
    }
    let (same, metric) = try judged(100)
    #expect(same.pairs == 12 && metric.pairs == 11 && metric.lost.candidate == 1)
    #expect(metric.verdict == .inconclusive)
    #expect(metric.note == "1 pair of the candidate with a negative or non-finite value")
    #expect(try judged(50).1.verdict == .inconclusive)
    // A regression remains.
    #expect(try judged(200).1.verdict == .regressed)
  }

  @Test
  func `pairs with failed launches are counted separately`() throws {
    // A failed launch has only the crash rate.
    let cases: [([String: Double], Int)] = [
      (["crash.rate": 1], 1), (["crash.rate": 0, "rss.peak": 1], 0),
    ]
    for (values, failed) in cases {
      var judge = try PairedData.judge()
      PairedData.feed(&judge) {
        PairedData.pair(["wall": 100], $0 == 3 ? values : ["wall": 100])
      }
      let metric = try #require(judge.judgements.first)
      #expect(metric.lost.candidate == 1 && metric.failures == failed)
      #expect(metric.comparison.verdict == .inconclusive)
      #expect(metric.note == "missing in 1 pair of the candidate")
    }
  }

  @Test
  func `a pair with a missing launch is lost`() throws {
    var judge = try PairedData.judge(launches: 4)
    judge.add(PairedData.wall([1, 1, 1], [1, 1, 1, 1]))
    #expect(judge.judgements.first?.lost.base == 1)
    #expect(judge.judgements.first?.pairs == 0)
  }

  @Test
  func `times of zero are compared as differences`() throws {
    var judge = try PairedData.judge(margin: .init(relative: 0.02))
    PairedData.feed(&judge) { PairedData.wall([$0 == 0 ? 0 : 100], [$0 == 1 ? 0 : 200]) }
    let metric = try #require(judge.judgements.first)
    #expect(metric.definition.scale == .difference)
    #expect(metric.note.contains("compared as a difference"))
  }

  @Test
  func `a relative margin of a zero base gives a note`() throws {
    var judge = try PairedData.judge([TestRuns.hitches])
    PairedData.feed(&judge) { index in
      PairedData.pair(
        [TestRuns.hitches.name: 0], [TestRuns.hitches.name: index.isMultiple(of: 9) ? 1 : 0])
    }
    let metric = try #require(judge.judgements.first)
    #expect(metric.margin == 0 && metric.comparison.verdict == .inconclusive)
    #expect(metric.note == "no margin, because the base is zero: set an absolute margin")
  }

  @Test
  func `a gating metric without measurements is missing evidence`() throws {
    var judge = try SequentialJudge(
      [TestRuns.time], policy: Scenario.GatePolicy(), gating: ["wall", "frame.rate"],
      launchesPerPair: 1)
    PairedData.feed(&judge) { _ in PairedData.wall([100], [100]) }
    #expect(judge.missing == ["frame.rate"])
    #expect(judge.isDecided && judge.verdict() == .inconclusive)
  }

  @Test
  func `a metric without a better direction is not judged`() throws {
    var judge = try SequentialJudge(
      [TestRuns.time, TestRuns.frames], policy: Scenario.GatePolicy(), gating: ["wall"],
      launchesPerPair: 1)
    for _ in 0..<40 {
      judge.add(PairedData.pair(["wall": 1, "frame.count": 9], ["wall": 1, "frame.count": 99]))
    }
    let frames = judge.judgements[1]
    #expect(frames.comparison.verdict == .inconclusive && frames.pairsNeeded == nil)
    #expect(frames.note == "not judged: neither direction is better")
  }

  @Test
  func `a comparison needs a gating metric and one launch per side`() {
    #expect(throws: StatisticsError.nothingGates) {
      try SequentialJudge(
        [TestRuns.time], policy: Scenario.GatePolicy(), gating: [], launchesPerPair: 1)
    }
    #expect(throws: StatisticsError.self) { try PairedData.judge(launches: 0) }
  }

  @Test
  func `verdicts combine in the order void, regressed, inconclusive, improved, equivalent`() {
    typealias V = ComparisonVerdict
    #expect(Verdicts.together([.equivalent, .regressed, .void]) == .void)
    #expect(Verdicts.together([.equivalent, .improved, .inconclusive, .regressed]) == .regressed)
    #expect(Verdicts.together([.equivalent, .improved, .inconclusive]) == .inconclusive)
    #expect(Verdicts.together([.equivalent, .improved]) == .improved)
    #expect(Verdicts.together([.equivalent, .equivalent]) == .equivalent)
    #expect(Verdicts.together([]) == .inconclusive)
    #expect(Verdicts.together([.equivalent], isVoid: true) == .void)
    #expect(Verdicts.hasMoved(control: .improved) && !Verdicts.hasMoved(control: .inconclusive))
  }
}
