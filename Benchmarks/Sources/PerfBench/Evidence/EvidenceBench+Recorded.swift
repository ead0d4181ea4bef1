internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// PerfKit's rule and the rules of other harnesses on the same recorded launches.
extension EvidenceBench {
  /// A recording and the margin for its verdicts.
  private struct Recording {
    let name: String
    let pairs: RecordedPairs
    let margin: Double
    /// Whether the candidate is slower.
    let isSlower: Bool
    let target: String
    let isMet: (RuleTally) -> Bool
  }

  func recorded(_ table: FigureTable) throws {
    let same = try RecordedPairs.read("1.0")
    let power: (Double) -> (RuleTally) -> Bool = { share in
      { $0.share(.regressed) >= share && $0.share(.equivalent) <= 0.01 }
    }
    let recordings = [
      Recording(
        name: "no change, margin 2 %", pairs: same, margin: 0.02, isSlower: false,
        target: "false alarms <= 0.4 % per metric, 2 % of five"
      ) { $0.share(.regressed, .improved) <= 0.004 },
      Recording(
        name: "no change, margin 1 %", pairs: same, margin: 0.01, isSlower: false,
        target: "false alarms <= 0.4 % per metric, 2 % of five"
      ) { $0.share(.regressed, .improved) <= 0.004 },
      Recording(
        name: "3 % slower, margin 2 %", pairs: try RecordedPairs.read("1.03"), margin: 0.02,
        isSlower: true, target: "found >= 95 %, equivalent <= 1 %", isMet: power(0.95)),
      Recording(
        name: "the first recording times 1.03, margin 2 %", pairs: same.slowed(by: 1.03),
        margin: 0.02, isSlower: true, target: "found >= 95 %, equivalent <= 1 %",
        isMet: power(0.95)),
      Recording(
        name: "2 % slower, margin 1 %", pairs: try RecordedPairs.read("1.02"), margin: 0.01,
        isSlower: true, target: "found >= 85 %", isMet: power(0.85)),
      Recording(
        name: "the first recording times 1.02, margin 1 %", pairs: same.slowed(by: 1.02),
        margin: 0.01, isSlower: true, target: "found >= 85 %", isMet: power(0.85)),
    ]
    for recording in recordings { try compare(recording, table) }
  }

  /// Judges a comparison from each recorded pair on, by all rules.
  private func compare(_ recording: Recording, _ table: FigureTable) throws {
    let study = RuleStudy(margin: recording.margin)
    let pairs = recording.pairs
    let starts = Array(pairs.pairs.indices)
    let own = RuleStudy.tally(starts.count) { start in
      var next = start
      return try? study.judge {
        defer { next += 4 }
        let block = pairs.block(from: next)
        return LaunchPair(
          base: block.base.map { [RuleStudy.metric.name: $0] },
          candidate: block.candidate.map { [RuleStudy.metric.name: $0] })
      }
    }
    // The other harnesses get as many launches as PerfKit's median comparison used.
    let medianPairs = Int(own.medianPairs ?? 11)
    let launches = 4 * medianPairs
    let samples = starts.map { PeerSamples(pairs.launches(from: $0, count: launches)) }
    let peers =
      ["all pairs alike \(try Self.allPairs(recording, starts.count))"]
      + (try PeerSamples.results(samples, isSlower: recording.isSlower))
    let inconclusive = RuleTally.percent(own.share(.inconclusive))
    let found =
      recording.isSlower
      ? "found \(RuleTally.percent(own.share(.regressed))), equivalent "
        + RuleTally.percent(own.share(.equivalent))
      : "false alarms " + RuleTally.percent(own.share(.regressed, .improved))
    table.add(
      recording.name, target: recording.target + ", inconclusive <= 5 %",
      measured: "\(found), inconclusive \(inconclusive); "
        + "\(NumberFormat.significant(own.medianPairs ?? 0)) pairs of 4 + 4 launches (median), "
        + "\(starts.count) comparisons, overlapping, of which "
        + "\(pairs.pairs.count / launches) share no launch",
      peer: (recording.isSlower ? "found by " : "false alarms of ")
        + peers.joined(separator: "; "),
      isMet: recording.isMet(own) && own.share(.inconclusive) <= 0.05)
  }

  /// Returns the result of PerfKit's rule without its weighing of pairs, on the same recorded
  /// launches.
  private static func allPairs(_ recording: Recording, _ count: Int) throws -> String {
    let rule = try AllPairsRule(margin: recording.margin)
    let pairs = recording.pairs
    let tally = RuleStudy.tally(count) { start in
      var next = start
      return try? rule.judge {
        defer { next += 4 }
        return pairs.block(from: next)
      }
    }
    let decided =
      recording.isSlower ? tally.share(.regressed) : tally.share(.regressed, .improved)
    return
      "\(RuleTally.percent(decided)) (inconclusive \(RuleTally.percent(tally.share(.inconclusive))))"
  }
}
