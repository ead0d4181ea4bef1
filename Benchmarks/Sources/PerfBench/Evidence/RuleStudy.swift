internal import PerfModel
internal import PerfStatistics

/// Feeds comparisons of some among several gating metrics to PerfKit's rule.
struct RuleStudy {
  /// The number of gating metrics, unless a study has another one.
  static let gating = 5

  /// The default metric.
  static let metric = time(MetricName.wall)

  /// A metric that is zero in most launches and compared by differences.
  static let hitches = MetricDefinition(
    name: "hitches", dimension: .time, direction: .lower, scale: .difference, summary: "")

  let margin: Scenario.Margin
  private let metrics: [MetricDefinition]
  private let gating: Int
  private let mostPairs: Int
  private let layouts: Int

  /// Creates a study whose comparisons end undecided after a number of pairs.
  init(
    margin: Double, metrics: [MetricDefinition] = [Self.metric], gating: Int = Self.gating,
    mostPairs: Int = LookSchedule.usualPairs, layouts: Int = 1
  ) {
    self.margin = Scenario.Margin(relative: margin)
    (self.metrics, self.gating, self.mostPairs) = (metrics, gating, mostPairs)
    self.layouts = layouts
  }

  /// Returns the definition of a time metric.
  static func time(_ name: String) -> MetricDefinition {
    MetricDefinition(name: name, dimension: .time, direction: .lower, scale: .ratio, summary: "")
  }

  /// Judges one comparison.
  ///
  /// - Parameter next: Returns the next pair.
  /// - Returns: The verdict and the number of pairs used. A metric that improved decides even if
  ///   others are undecided, so that no false alarm is hidden.
  /// - Throws: `StatisticsError`.
  func judge(
    _ next: () -> LaunchPair
  ) throws -> (verdict: ComparisonVerdict, pairs: Int) {
    var judge = try SequentialJudge(
      metrics, policy: Scenario.GatePolicy(margin: margin), gating: metrics.map(\.name),
      gatingCount: gating, launchesPerPair: 4, layouts: layouts)
    while !judge.isDecided, judge.pairs < mostPairs { judge.add(next()) }
    let verdicts = Set(judge.judgements.compactMap(\.verdict))
    let changes = [ComparisonVerdict.regressed, .improved]
    return (changes.first(where: verdicts.contains) ?? judge.verdict(), judge.pairs)
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
