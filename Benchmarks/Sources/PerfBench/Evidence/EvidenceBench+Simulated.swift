internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// The error rates of the rule on simulated comparisons with every kind of noise.
extension EvidenceBench {
  /// A simulated change with the expected verdicts.
  struct Case {
    let name: String
    let factor: Double
    let margin: Double
    let expects: Expectation
    /// The weight of the case in the number of simulated comparisons.
    var share = 1
  }

  enum Expectation {
    /// At most this share of false alarms.
    case alarms(Double)
    /// The change is found, and at most this share of the verdicts is equivalent.
    case found(equivalent: Double)
    /// At most this share of the verdicts is equivalent.
    case equivalent(Double)
  }

  private static let cases = [
    Case(name: "no change, margin 2 %", factor: 1, margin: 0.02, expects: .alarms(0.004)),
    // The rule spends all its error here, so this rate is measured most precisely.
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
          return try? study.judge { source.pair(item.factor) }
        }
        Self.add(item, noise.rawValue, tally, table)
      }
    }
  }

  /// Simulates metrics that are compared by differences, such as hitches.
  ///
  /// The sign-flip test has no margin. It takes thousands of sums, so it gets a fiftieth of the
  /// comparisons.
  func simulatedDifferences(_ table: FigureTable) {
    let study = RuleStudy(margin: 0, metrics: [RuleStudy.hitches])
    let kinds = [
      ("hitches in 5 % of the launches", 0.05, 0.05), ("hitches in 50 %", 0.5, 0.5),
      ("hitches in 5 %, and in slow spells in 60 %", 0.05, 0.6),
    ]
    for (index, kind) in kinds.enumerated() {
      let seed = self.seed &+ UInt64(100_000 + index) << 32
      let tally = RuleStudy.tally(max(1, comparisons / 50 / kinds.count)) { comparison in
        var source = NoiseSource(.core, seed: seed &+ UInt64(comparison))
        return try? study.judge {
          source.hitches(kind.1, slow: kind.2)
        }
      }
      Self.add(
        Case(
          name: "no change of differences, no margin", factor: 1, margin: 0,
          expects: .alarms(0.004)), kind.0, tally, table)
    }
  }

  static func add(
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
        figure, target: "false alarms <= \(RuleTally.percent(limit)) per metric",
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
