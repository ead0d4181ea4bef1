internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Campaigns of `perfkit try` on the recorded launches of an unchanged program.
extension EvidenceBench {
  func tries(_ table: FigureTable) throws {
    let campaigns = max(1, series / 50)
    let pairs = try RecordedPairs.read("1.0")
    let nothing = Parallel.map(campaigns) {
      TriedCampaign(pairs, useless: 100, useful: 0, seed: seed &+ UInt64($0))
    }
    let most = nothing.map(\.falselyKept).max() ?? 0
    let mean = Double(nothing.reduce(0) { $0 + $1.falselyKept }) / Double(campaigns)
    let peers = Self.peers(pairs, seed: seed)
    table.add(
      "changes that do nothing, kept of 100", target: "<= 2",
      measured: "\(NumberFormat.significant(mean)) on average, at most \(most) in "
        + "\(campaigns) campaigns of 100 tries",
      peer: peers, isMet: most <= 2)

    let mixed = Parallel.map(campaigns) {
      TriedCampaign(pairs, useless: 100, useful: 25, seed: ~seed &+ UInt64($0))
    }
    let kept = Double(mixed.reduce(0) { $0 + $1.rightlyKept }) / Double(25 * campaigns)
    let wrong = mixed.map(\.falselyKept)
    let wrongMean = Double(wrong.reduce(0, +)) / Double(campaigns)
    table.add(
      "25 gains of 2 to 5 % among 100 changes that do nothing, margin 1 %",
      target: "gains kept >= 90 %, others <= 2",
      measured: "gains kept \(RuleTally.percent(kept)), others "
        + "\(NumberFormat.significant(wrongMean)) on average, at most \(wrong.max() ?? 0) in "
        + "\(campaigns) campaigns",
      isMet: kept >= 0.9 && wrong.allSatisfy { $0 <= 2 })

    func errors(_ error: (TriedCampaign) -> Double) -> [Double] {
      mixed.map { abs(error($0)) }.sorted()
    }
    let claimed = errors { $0.measuredTotal - $0.freshTotal }
    let within = Double(claimed.count { $0 <= 0.01 }) / Double(campaigns)
    table.add(
      "the claimed total of the same campaigns against a fresh measurement of the anchor",
      target: "within 1 point in >= 95 %",
      measured: "within 1 point in \(RuleTally.percent(within)), \(Self.points(claimed)) apart",
      peer:
        "sum of the corrected gains: \(Self.points(errors { $0.claimedTotal - $0.freshTotal })) "
        + "apart; of the plain estimates: "
        + "\(Self.points(errors { $0.plainTotal - $0.freshTotal })) apart",
      isMet: within >= 0.95)
    let gains = mixed.flatMap(\.gains)
    func bias(_ value: (TriedCampaign.Gain) -> Double) -> String {
      let sum = gains.reduce(0) { $0 + value($1) - $1.real }
      return NumberFormat.significant(100 * sum / Double(max(gains.count, 1)), digits: 2)
    }
    let total = mixed.reduce(0) { $0 + $1.measuredTotal - $1.realTotal } / Double(campaigns)
    table.add(
      "bias of the claimed total of the same campaigns",
      measured: "\(NumberFormat.significant(100 * total, digits: 2)) points")
    table.add(
      "bias of a kept gain of the same campaigns",
      measured: "\(bias(\.claimed)) points corrected, \(bias(\.plain)) points plain")
  }

  private static func points(_ errors: [Double]) -> String {
    let middle = (try? Quantiles.median(of: errors)) ?? 0
    return "\(NumberFormat.significant(100 * middle, digits: 2)) points (median), at most "
      + NumberFormat.significant(100 * (errors.last ?? 0), digits: 2)
  }

  /// Returns how many of 100 changes that do nothing other rules keep: each rule gets ten launches of
  /// one side after the other, from each recorded pair on.
  private static func peers(_ pairs: RecordedPairs, seed: UInt64) -> String {
    let samples = pairs.pairs.indices.map { start in
      let launches = pairs.launches(from: start, count: 20)
      return (base: Array(launches.base[..<10]), candidate: Array(launches.candidate[10...]))
    }
    func kept(_ isKept: ([Double], [Double]) -> Bool) -> String {
      let count = samples.count { isKept($0.base, $0.candidate) }
      return NumberFormat.significant(100 * Double(count) / Double(samples.count), digits: 2)
    }
    func median(_ values: [Double]) -> Double { (try? Quantiles.median(of: values)) ?? 0 }
    let median10 = kept { median($1) < 0.99 * median($0) }
    let benchstat = kept {
      (try? PeerRule.benchstat.verdict($0, $1, seed: seed)) == .improved
    }
    return "median of ten, keep if > 1 %: \(median10); benchstat of ten: \(benchstat)"
  }
}

/// A simulated campaign: changes that do nothing and gains of 2 to 5 %, in random order.
struct TriedCampaign: Sendable {
  /// A kept change that is a real gain, as negative fractions.
  struct Gain: Sendable {
    let real: Double
    let claimed: Double
    let plain: Double
  }

  private(set) var falselyKept = 0
  private(set) var gains: [Gain] = []
  /// The total from the start as claimed: measured again after the last kept change.
  private(set) var measuredTotal = 0.0
  /// The true total of the kept changes.
  private(set) var realTotal = 0.0
  /// The same total measured once more.
  private(set) var freshTotal = 0.0
  /// The product of the corrected gains of all kept changes.
  private(set) var claimedTotal = 0.0
  /// The product of the plain estimates of all kept changes.
  private(set) var plainTotal = 0.0

  var rightlyKept: Int { gains.count }

  private static let margin = Scenario.Margin(relative: 0.01)
  private static let metric = RuleStudy.metric
  /// The pairs of the measurements of the total, as in `Trying.totalPairs`.
  private static let totalPairs = 20

  init(_ recorded: RecordedPairs, useless: Int, useful: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var changes = [Double](repeating: 0, count: useless)
    for _ in 0..<useful { changes.append(-(0.02 + 0.03 * generator.nextUniform())) }
    changes.shuffle(using: &generator)
    var outcomes: [Bool] = []
    var (real, claimed, plain) = (1.0, 1.0, 1.0)
    for change in changes {
      let level = OnlineErrorBudget().level(after: outcomes)
      let gain = Self.kept(recorded, change, level: level, &generator)
      outcomes.append(gain != nil)
      guard let gain else { continue }
      if change < 0 {
        gains.append(Gain(real: change, claimed: gain.claimed(level: level), plain: gain.change))
      } else {
        falselyKept += 1
      }
      real *= 1 + change
      claimed *= 1 + gain.claimed(level: level)
      plain *= 1 + gain.change
    }
    (realTotal, claimedTotal, plainTotal) = (real - 1, claimed - 1, plain - 1)
    let total = { (generator: inout SeededGenerator) in
      let pairs = Self.pairs(recorded, real - 1, Self.totalPairs, &generator)
      return Self.gain(pairs)?.change ?? 0
    }
    measuredTotal = total(&generator)
    freshTotal = total(&generator)
  }

  /// Judges a change like `perfkit try`, and returns its estimate if it is kept.
  private static func kept(
    _ recorded: RecordedPairs, _ change: Double, level: Double,
    _ generator: inout SeededGenerator
  ) -> PairedGain? {
    let judge = try? SequentialJudge(
      [metric], policy: Scenario.GatePolicy(margin: margin), gating: [metric.name],
      gatingCount: OnlineErrorBudget.gatingCount(level: level), launchesPerPair: 4)
    guard var judge else { return nil }
    let pairs = pairs(recorded, change, LookSchedule.usualPairs, &generator)
    var used = 0
    while !judge.isDecided, used < pairs.count {
      judge.add(pairs[used])
      used += 1
    }
    return judge.verdict() == .improved ? gain(Array(pairs[..<used])) : nil
  }

  private static func gain(_ pairs: [LaunchPair]) -> PairedGain? {
    PairedGain(pairs, of: metric, margin: margin, launchesPerPair: 4)
  }

  /// Returns pairs of four recorded launches per side, from a random one on, with a change.
  private static func pairs(
    _ recorded: RecordedPairs, _ change: Double, _ count: Int,
    _ generator: inout SeededGenerator
  ) -> [LaunchPair] {
    let start = Int(generator.nextUniform() * Double(recorded.pairs.count))
    return (0..<count).map { index in
      let block = recorded.block(from: start + 4 * index)
      return LaunchPair(
        base: block.base.map { [metric.name: $0] },
        candidate: block.candidate.map { [metric.name: $0 * (1 + change)] })
    }
  }
}
