internal import PerfModel
internal import PerfStatistics

/// Feeds comparisons of one metric among several that gate to PerfKit's rule.
struct RuleStudy {
  /// How many metrics gate.
  static let gating = 5

  let margin: Scenario.Margin
  let metric: MetricDefinition

  init(margin: Double) {
    self.margin = Scenario.Margin(relative: margin)
    metric = MetricDefinition(
      name: "wall", dimension: .time, direction: .lower, scale: .ratio, summary: "")
  }

  /// Judges one comparison.
  ///
  /// - Parameters:
  ///   - seed: Of the judge.
  ///   - next: Returns the next pair.
  /// - Returns: The verdict, and the pairs that were made.
  /// - Throws: `StatisticsError`.
  func judge(
    seed: UInt64, _ next: () -> LaunchPairValues
  ) throws -> (verdict: ComparisonVerdict, pairs: Int) {
    var judge = try SequentialJudge(
      [metric], policy: Scenario.GatePolicy(margin: margin), gating: ["wall"],
      gatingCount: Self.gating, launchesPerPair: 4, seed: seed)
    while !judge.isDecided {
      let pair = next()
      judge.add(
        LaunchPair(
          base: pair.base.map { ["wall": $0] }, candidate: pair.candidate.map { ["wall": $0] }))
    }
    return (judge.verdict(), judge.pairs)
  }

  /// Judges many comparisons on all cores.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - comparison: Judges the comparison of a number.
  /// - Returns: What became of them.
  static func tally(
    _ count: Int, _ comparison: @Sendable (Int) -> (ComparisonVerdict, Int)?
  ) -> RuleTally {
    var tally = RuleTally()
    for result in Parallel.map(count, comparison) {
      if let (verdict, pairs) = result { tally.add(verdict, pairs: pairs) }
    }
    return tally
  }
}
