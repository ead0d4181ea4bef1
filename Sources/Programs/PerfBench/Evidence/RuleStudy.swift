internal import PerfModel
internal import PerfStatistics

/// Feeds comparisons of one metric among several that gate to PerfKit's rule.
struct RuleStudy {
  /// How many metrics gate.
  static let gating = 5

  /// The metric that is compared unless another one is named.
  static let metric = time(MetricName.wall)

  /// A metric of which most launches have none, which is compared by its differences.
  static let hitches = MetricDefinition(
    name: "hitches", dimension: .time, direction: .lower, scale: .difference, summary: "")

  let margin: Scenario.Margin
  private let metric: MetricDefinition

  init(margin: Double, metric: MetricDefinition = Self.metric) {
    self.margin = Scenario.Margin(relative: margin)
    self.metric = metric
  }

  /// A time of a name.
  static func time(_ name: String) -> MetricDefinition {
    MetricDefinition(name: name, dimension: .time, direction: .lower, scale: .ratio, summary: "")
  }

  /// Judges one comparison.
  ///
  /// - Parameters:
  ///   - seed: Of the judge.
  ///   - next: Returns the next pair.
  /// - Returns: The verdict, and the pairs that were made.
  /// - Throws: `StatisticsError`.
  func judge(
    seed: UInt64, _ next: () -> LaunchPair
  ) throws -> (verdict: ComparisonVerdict, pairs: Int) {
    var judge = try SequentialJudge(
      [metric], policy: Scenario.GatePolicy(margin: margin), gating: [metric.name],
      gatingCount: Self.gating, launchesPerPair: 4, seed: seed)
    while !judge.isDecided { judge.add(next()) }
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
