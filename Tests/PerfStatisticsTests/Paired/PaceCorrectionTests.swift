import Foundation
import PerfModel
import Testing

@testable import PerfStatistics

struct PaceCorrectionTests {
  typealias Block = PaceCorrection.Block

  private static func block(times: [Double], paces: [Double]) -> Block {
    Block(times: times, paces: paces.map { [$0] })
  }

  @Test func `times that follow the square root of the pace are normalised`() {
    // Times of 10 * pace^0.5: every slope of the logarithms is 0.5.
    let paces = [1.0, 4, 9, 2.25]
    let block = Self.block(times: [10, 20, 30, 15], paces: paces)
    let correction = PaceCorrection([block])
    #expect(isClose(correction.share, 0.5))
    // The usual pace is the upper median of 1, 2.25, 4 and 9: 10 * 4^0.5.
    #expect(correction.corrected(block).allSatisfy { isClose($0, 20) })
  }

  @Test func `an outlier among the launches does not change the correction`() {
    let clean = Self.block(times: [10, 20, 30, 15], paces: [1, 4, 9, 2.25])
    let disturbed = Self.block(times: [10, 20, 300, 15], paces: [1, 4, 9, 2.25])
    // 3 of the 12 slopes involve that launch.
    #expect(isClose(PaceCorrection([clean, disturbed]).share, 0.5))
  }

  @Test func `the share of the pace is limited to 0...1`() {
    let steep = Self.block(times: [1, 4, 16], paces: [1, 2, 4])
    #expect(PaceCorrection([steep]).share == 1)
    let backward = Self.block(times: [4, 2, 1], paces: [1, 2, 4])
    let correction = PaceCorrection([backward])
    #expect(correction.share == 0)
    #expect(correction.corrected(backward) == [4, 2, 1])
  }

  @Test func `the pace counts as followed from a share of a quarter`() {
    #expect(PaceCorrection([Self.block(times: [1, 2], paces: [1, 16])]).isFollowed)
    // A slope of 1/5.
    #expect(!PaceCorrection([Self.block(times: [1, 2], paces: [1, 32])]).isFollowed)
  }

  @Test func `one pace, one launch or no launch gives a share of zero`() {
    #expect(PaceCorrection([Self.block(times: [1, 2], paces: [3, 3])]).share == 0)
    #expect(
      PaceCorrection([Self.block(times: [1], paces: [3]), Self.block(times: [2], paces: [4])]).share
        == 0)
    #expect(PaceCorrection([]).share == 0)
  }

  @Test func `the pace loop that the times follow is used`() {
    // Times of 10 * second^0.5; the first loop is unrelated.
    let block = Block(times: [10, 20, 30, 15], paces: [[3, 1], [1, 4], [2, 9], [4, 2.25]])
    let correction = PaceCorrection([block])
    #expect(correction.reading == 1)
    #expect(isClose(correction.share, 0.5))
    #expect(correction.corrected(block).allSatisfy { isClose($0, 20) })
    let exchanged = Block(times: block.times, paces: block.paces.map { [$0[1], $0[0]] })
    #expect(PaceCorrection([exchanged]).reading == 0)
    // Equal loops: the first is used.
    let twice = Block(times: block.times, paces: block.paces.map { [$0[1], $0[1]] })
    #expect(PaceCorrection([twice]).reading == 0)
  }

  @Test func `a pace loop that some launches lack is ignored`() {
    let both = Block(times: [10, 20, 30, 15], paces: [[3, 1], [1, 4], [2, 9], [4, 2.25]])
    let one = Self.block(times: [10, 20], paces: [1, 4])
    let correction = PaceCorrection([both, one])
    #expect(correction.reading == 0)
    #expect(correction.corrected(one).allSatisfy { $0.isFinite && $0 > 0 })
  }

  // MARK: - In a comparison

  /// Returns launches that follow a pace, varying by up to a fifth, with exponent 0.6, in pairs of
  /// four per side.
  private static func pairs(
    _ count: Int, factor: Double = 1, metric: String = "wall", hasPace: Bool = true
  ) -> [LaunchPair] {
    let noise = PairedData.noise(5, 8 * count)
    return (0..<count).map { pair in
      func side(_ first: Int, _ factor: Double) -> [LaunchPair.Values] {
        (0..<4).map { launch in
          let level = 0.2 * noise[8 * pair + first + launch]
          var values = [metric: 100 * factor * exp(0.6 * level)]
          if hasPace { values[MetricName.paceCPU] = 3 * exp(level) }
          return values
        }
      }
      return LaunchPair(base: side(0, 1), candidate: side(4, factor))
    }
  }

  private static func judged(
    _ pairs: [LaunchPair], _ metric: MetricDefinition = TestRuns.time
  ) throws -> MetricJudgement {
    var judge = try PairedData.judge([metric], launches: 4)
    PairedData.feed(&judge, limit: pairs.count) { pairs[$0] }
    return try #require(judge.judgements.first)
  }

  @Test func `noise that the pace explains does not prolong a comparison`() throws {
    let paced = try Self.judged(Self.pairs(40))
    // The centre is decided at once, the upper quantile after 20 pairs.
    #expect(paced.verdict == .equivalent && paced.decidedAt == 20)
    #expect(isClose(paced.paceShare, 0.6))
    #expect(abs(try #require(paced.estimate)) < 1e-9)
    // The minima of four launches differ by about 5 %, the centre of 40 pairs by nearly 1 %.
    let bare = try Self.judged(Self.pairs(40, hasPace: false))
    #expect(bare.decidedAt.map { $0 > 20 } ?? true)
    #expect(bare.paceShare == nil)
  }

  @Test func `a corrected change is antisymmetric under exchange of the sides`() throws {
    let pairs = Self.pairs(40, factor: 1.03)
    let slower = try Self.judged(pairs)
    #expect(slower.verdict == .regressed && slower.decidedAt == 11)
    #expect(isClose(slower.estimate, 0.03))
    // The medians are normalised as well.
    let (base, candidate) = (try #require(slower.base), try #require(slower.candidate))
    #expect(isClose(candidate / base, 1.03))
    let faster = try Self.judged(pairs.map { LaunchPair(base: $0.candidate, candidate: $0.base) })
    #expect(faster.verdict == .improved)
    #expect(isClose(faster.estimate, 1 / 1.03 - 1))
    #expect(isClose(faster.paceShare, try #require(slower.paceShare)))
  }

  @Test func `an unknown pace of one launch disables the correction`() throws {
    var pairs = Self.pairs(11)
    var base = pairs[3].base
    base[2][MetricName.paceCPU] = nil
    pairs[3] = LaunchPair(base: base, candidate: pairs[3].candidate)
    let partly = try Self.judged(pairs)
    let bare = try Self.judged(Self.pairs(11, hasPace: false))
    #expect(partly == bare)
  }

  @Test func `a workload's own times follow the pace, by their medians`() throws {
    let time = MetricDefinition(
      name: "palette.time", dimension: .time, direction: .lower, scale: .ratio, summary: "")
    let paced = try Self.judged(Self.pairs(40, metric: time.name), time)
    #expect(paced.verdict == .equivalent && paced.decidedAt == 20)
    #expect(isClose(paced.paceShare, 0.6))
  }

  @Test func `metrics of memory are not corrected for the pace`() throws {
    let memory = MetricDefinition(
      name: "rss.peak", dimension: .size, direction: .lower, scale: .ratio, summary: "")
    let paced = try Self.judged(Self.pairs(11, metric: memory.name), memory)
    let bare = try Self.judged(Self.pairs(11, metric: memory.name, hasPace: false), memory)
    #expect(paced == bare)
  }
}
