internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// The rule on simulated comparisons: whether it keeps its error rates, whatever the noise.
extension EvidenceBench {
  /// A change, and what is expected of the rule.
  private struct Case {
    let name: String
    let factor: Double
    let margin: Double
    let expects: Expectation
    /// How many of the simulated comparisons it takes, against the others.
    var share = 1
  }

  private enum Expectation {
    /// No alarm but with this probability.
    case alarms(Double)
    /// Found, and called equivalent with at most this probability.
    case found(equivalent: Double)
    /// Called equivalent with at most this probability.
    case equivalent(Double)
  }

  private static let cases = [
    Case(name: "no change, margin 2 %", factor: 1, margin: 0.02, expects: .alarms(0.004)),
    // The rule spends all of its error there, so its rate needs to be known best.
    Case(
      name: "no change, no margin: the interval alone", factor: 1, margin: 0,
      expects: .alarms(0.004), share: 4),
    Case(
      name: "3 % slower, margin 2 %", factor: 1.03, margin: 0.02,
      expects: .found(equivalent: 0.01)),
    Case(
      name: "2 % slower, margin 1 %", factor: 1.02, margin: 0.01,
      expects: .found(equivalent: 0.01)),
    // 2.5 % of the 5 % that are spent on both sides.
    Case(
      name: "slower by the margin of 2 %", factor: 1.02, margin: 0.02,
      expects: .equivalent(0.025)),
  ]

  func simulated(_ table: FigureTable) throws {
    let shares = Self.cases.reduce(0) { $0 + $1.share } * SimulatedNoise.allCases.count
    for (number, item) in Self.cases.enumerated() {
      let study = RuleStudy(margin: item.margin)
      for (index, noise) in SimulatedNoise.allCases.enumerated() {
        let seed = self.seed &+ UInt64(1000 * number + index) << 32
        let tally = RuleStudy.tally(max(1, comparisons * item.share / shares)) { comparison in
          var source = NoiseSource(noise, seed: seed &+ UInt64(comparison))
          return try? study.judge(seed: UInt64(comparison)) { source.pair(item.factor) }
        }
        Self.add(item, noise.rawValue, tally, table)
      }
    }
  }

  /// Metrics that are compared by differences, as hitches: the rule of the sign-flip test, which has no
  /// margin of its own to fail by.
  ///
  /// A fiftieth of the comparisons: a test takes thousands of sums.
  func simulatedDifferences(_ table: FigureTable) {
    let study = RuleStudy(margin: 0, metric: RuleStudy.hitches)
    let kinds = [
      ("hitches in 5 % of the launches", 0.05, 0.05), ("in half of them", 0.5, 0.5),
      ("in 5 %, in slow spells in 60 %", 0.05, 0.6),
    ]
    for (index, kind) in kinds.enumerated() {
      let seed = self.seed &+ UInt64(100_000 + index) << 32
      let tally = RuleStudy.tally(max(1, comparisons / 50 / kinds.count)) { comparison in
        var source = NoiseSource(.core, seed: seed &+ UInt64(comparison))
        return try? study.judge(seed: UInt64(comparison)) {
          source.hitches(kind.1, slow: kind.2)
        }
      }
      Self.add(
        Case(
          name: "no change of differences, no margin", factor: 1, margin: 0,
          expects: .alarms(0.004)), kind.0, tally, table)
    }
  }

  private static func add(
    _ item: Case, _ noise: String, _ tally: RuleTally, _ table: FigureTable
  ) {
    let figure = "\(item.name); noise: \(noise)"
    let pairs = tally.medianPairs.map { NumberFormat.significant($0) } ?? "no"
    let rest =
      "\(pairs) pairs, inconclusive \(RuleTally.percent(tally.share(.inconclusive))), "
      + "\(NumberFormat.grouped(tally.total)) comparisons"
    switch item.expects {
    case .alarms(let limit):
      table.add(
        figure, target: "false alarms <= \(RuleTally.percent(limit)) a metric",
        measured: "\(tally.alarmText); \(rest)",
        isMet: tally.keeps(limit, .regressed, .improved))
    case .found(let limit):
      table.add(
        figure, target: "equivalent <= \(RuleTally.percent(limit))",
        measured: "found \(RuleTally.percent(tally.share(.regressed))), equivalent "
          + "\(RuleTally.percent(tally.share(.equivalent))); \(rest)",
        isMet: tally.keeps(limit, .equivalent))
    case .equivalent(let limit):
      table.add(
        figure, target: "equivalent <= \(RuleTally.percent(limit))",
        measured: "equivalent \(RuleTally.percent(tally.share(.equivalent))), regressed "
          + "\(RuleTally.percent(tally.share(.regressed))); \(rest)",
        isMet: tally.keeps(limit, .equivalent))
    }
  }
}
