public import PerfModel

/// The judge of a comparison while its pairs are measured, which decides when to stop.
///
/// The judge receives one pair after the other. At each look of its schedule an undecided metric
/// becomes
///
/// - *regressed* if the interval of the change excludes zero on the bad side and the estimate is at
///   least the margin, or if more launches are in a slow mode, so that the mean of all launches
///   changed by the margin or more; *improved* is the mirror image;
/// - *equivalent* if the equivalence interval is within the margin on both sides, and the mean and
///   an upper quantile of all launches are as well;
/// - otherwise it stays open; after the last look it is *inconclusive*.
///
/// A verdict is final. With G gating metrics each has the error alpha / G over all looks, so the
/// probability of any false *regressed* or *improved* is at most alpha. Other metrics have the same
/// looks, each with the error of one gating metric: if they shared an error, their first look would
/// be after most comparisons have ended.
///
/// The same pairs give the same verdicts, even if the measurement was interrupted in between.
public struct SequentialJudge: Sendable {
  /// The looks, common to all metrics.
  public let schedule: LookSchedule
  /// The number of launches per side and pair.
  public let launchesPerPair: Int
  /// The gating metrics without a definition: missing evidence.
  public let missing: [String]
  /// The number of pairs.
  public private(set) var pairs = 0
  private var judges: [MetricJudge]

  /// Creates a judge.
  ///
  /// The gating metrics are chosen by `GatingMetrics`; `gatingCount` is the number of gating
  /// metrics of the whole invocation, nil to count this comparison only. The pairs take `layouts` links
  /// of each side in turn.
  ///
  /// - Throws: `nothingGates` without gating metrics, or `outOfRange`.
  public init(
    _ definitions: [MetricDefinition], policy: Scenario.GatePolicy, gating: [String],
    gatingCount: Int? = nil, launchesPerPair: Int, layouts: Int = 1
  ) throws(StatisticsError) {
    guard !gating.isEmpty else { throw .nothingGates }
    guard launchesPerPair >= 1 else {
      throw .outOfRange(
        parameter: "the number of launches per pair", value: Double(launchesPerPair),
        range: "at least 1")
    }
    schedule = try LookSchedule(metrics: max(gatingCount ?? 0, gating.count))
    self.launchesPerPair = launchesPerPair
    let known = Set(definitions.map(\.name))
    missing = gating.filter { !known.contains($0) }
    let (looks, names) = (schedule, Set(gating))
    let ordered =
      definitions.filter { names.contains($0.name) }
      + definitions.filter { !names.contains($0.name) }
    judges = ordered.map { definition in
      let isGating = names.contains(definition.name)
      return MetricJudge(
        definition, margin: policy.margin(of: definition.name), isGating: isGating,
        schedule: looks, launchesPerPair: launchesPerPair, layouts: layouts)
    }
  }

  /// A judge of the gating metrics alone, which decide when to stop.
  ///
  /// The intervals of differences take nearly all time of a look, and few gating metrics have them.
  public var ofGatingMetrics: SequentialJudge {
    var judge = self
    judge.judges.removeAll { !$0.isGating }
    return judge
  }

  /// Adds a pair; metrics whose next look is due are judged.
  public mutating func add(_ pair: LaunchPair) {
    pairs += 1
    for index in judges.indices { judges[index].add(pair) }
  }

  /// Whether every gating metric has a verdict, so that more pairs change nothing.
  public var isDecided: Bool {
    judges.allSatisfy { !$0.isGating || $0.nextLook == nil }
  }

  /// The total number of pairs at the next look at a gating metric; nil if all are decided.
  public var nextLook: Int? {
    judges.filter(\.isGating).compactMap(\.pairsToNextLook).min().map { pairs + $0 }
  }

  /// The judgement of each metric, gating ones first.
  public var judgements: [MetricJudgement] { judges.map(\.judgement) }

  /// Returns the verdict of the comparison; undecided metrics count as inconclusive.
  ///
  /// A control that was not measured as planned may have moved, so nothing is called equivalent or
  /// improved.
  public func verdict(
    isVoid: Bool = false, hasUnknownControl: Bool = false
  ) -> ComparisonVerdict {
    let gating = judgements.filter(\.isGating).map { $0.verdict ?? .inconclusive }
    let unknown = missing.count + (hasUnknownControl ? 1 : 0)
    return Verdicts.together(
      gating + [ComparisonVerdict](repeating: .inconclusive, count: unknown), isVoid: isVoid)
  }
}
