internal import PerfModel
internal import PerfStatistics

/// Feeds comparisons of a metric among several gating metrics to PerfKit's rule.
struct RuleStudy {
  /// The number of gating metrics.
  static let gating = 5

  /// The default metric.
  static let metric = time(MetricName.wall)

  /// A metric that is zero in most launches and compared by differences.
  static let hitches = MetricDefinition(
    name: "hitches", dimension: .time, direction: .lower, scale: .difference, summary: "")

  let margin: Scenario.Margin
  private let metric: MetricDefinition

  init(margin: Double, metric: MetricDefinition = Self.metric) {
    self.margin = Scenario.Margin(relative: margin)
    self.metric = metric
  }

  /// Returns the definition of a time metric.
  static func time(_ name: String) -> MetricDefinition {
    MetricDefinition(name: name, dimension: .time, direction: .lower, scale: .ratio, summary: "")
  }

  /// Judges one comparison.
  ///
  /// - Parameters:
  ///   - seed: The seed of the judge.
  ///   - next: Returns the next pair.
  /// - Returns: The verdict and the number of pairs used.
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
  ///   - count: The number of comparisons.
  ///   - comparison: Judges the comparison with an index.
  /// - Returns: The verdicts' tally.
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
