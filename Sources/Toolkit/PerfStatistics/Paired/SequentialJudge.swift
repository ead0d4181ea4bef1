public import PerfModel

/// Judges a comparison while its pairs are measured, and says when it may stop.
///
/// It is fed one pair after the other. At each look of its schedule a metric that is not decided yet is
///
/// - *regressed* when the interval of the change excludes zero on the bad side and the estimate is at
///   least the margin; *improved* is the mirror of it;
/// - *equivalent* when the interval of equivalence lies inside of the margin on both sides, and the
///   launches are not distributed differently by more than it;
/// - otherwise open; after the last look it is *inconclusive*.
///
/// A verdict is frozen. With G gating metrics each has the error alpha / G over all looks, so that the
/// probability of any false *regressed* or *improved* among them is at most alpha. Metrics that do not
/// gate have the same looks, each by itself with the error of a gating one: sharing an error, a dozen
/// of them would be looked at first when most comparisons have ended already.
///
/// The same pairs give the same verdicts, however often the measurement was stopped in between.
public struct SequentialJudge: Sendable {
  /// The looks of all metrics.
  public let schedule: LookSchedule
  /// How many launches of each side make a pair.
  public let launchesPerPair: Int
  /// The error of all gating metrics together.
  public let alpha: Double
  /// Names of gating metrics that nothing measures: missing evidence.
  public let missing: [String]
  /// Pairs so far.
  public private(set) var pairs = 0
  private var judges: [MetricJudge]

  /// Creates a judge.
  ///
  /// - Parameters:
  ///   - definitions: The metrics that the launches may have.
  ///   - policy: Their margins.
  ///   - gating: Names of those that decide, as `GatingMetrics` chooses them.
  ///   - gatingCount: How many metrics gate in the whole invocation; nil for those of this comparison.
  ///   - launchesPerPair: As `BlockStatistic.launchesPerPair` says, at least one.
  ///   - alpha: The error of all gating metrics together.
  ///   - seed: Of what is random in the tests.
  /// - Throws: `nothingGates` when no metric decides, or `outOfRange`.
  public init(
    _ definitions: [MetricDefinition], policy: Scenario.GatePolicy, gating: [String],
    gatingCount: Int? = nil, launchesPerPair: Int, alpha: Double = RunComparer.alpha,
    seed: UInt64
  ) throws(StatisticsError) {
    guard !gating.isEmpty else { throw .nothingGates }
    guard launchesPerPair >= 1 else {
      throw .outOfRange(
        parameter: "the number of launches per pair", value: Double(launchesPerPair),
        range: "1 and more")
    }
    schedule = try LookSchedule(metrics: max(gatingCount ?? 0, gating.count), alpha: alpha)
    self.launchesPerPair = launchesPerPair
    self.alpha = alpha
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
        schedule: looks, launchesPerPair: launchesPerPair, seed: seed)
    }
  }

  /// Adds the next pair, and looks when it is time to.
  public mutating func add(_ pair: LaunchPair) {
    pairs += 1
    for index in judges.indices { judges[index].add(pair) }
  }

  /// Whether every gating metric has its verdict: more pairs change nothing.
  public var isDecided: Bool {
    judges.allSatisfy { !$0.isGating || $0.nextLook == nil }
  }

  /// The number of pairs, those so far included, at which a gating metric is looked at next; nil when
  /// all are decided.
  public var nextLook: Int? {
    judges.filter(\.isGating).compactMap(\.pairsToNextLook).min().map { pairs + $0 }
  }

  /// How many further pairs would probably decide all gating metrics; nil when that cannot be told, 0
  /// when they are decided.
  ///
  /// Where a metric would take more than are made, it is what that one takes, whatever is known of others.
  public var pairsNeeded: Int? {
    let open = judges.filter { $0.isGating && $0.nextLook != nil }.map(\.judgement)
    let needed = open.compactMap(\.pairsNeeded)
    let most = needed.max() ?? 0
    return needed.count == open.count || pairs + most > LookSchedule.lastLook ? most : nil
  }

  /// What can be said of each metric, the gating ones first.
  public var judgements: [MetricJudgement] { judges.map(\.judgement) }

  /// What follows for the scenario.
  ///
  /// - Parameters:
  ///   - isVoid: Whether the environments differ in what matters, or a control moved.
  ///   - hasUnknownControl: Whether a control was not measured as planned, so that it may have moved.
  /// - Returns: The verdict; what is not decided yet is inconclusive.
  public func verdict(
    isVoid: Bool = false, hasUnknownControl: Bool = false
  ) -> ComparisonVerdict {
    let gating = judgements.filter(\.isGating).map { $0.verdict ?? .inconclusive }
    let unknown = missing.count + (hasUnknownControl ? 1 : 0)
    return Verdicts.together(
      gating + [ComparisonVerdict](repeating: .inconclusive, count: unknown), isVoid: isVoid)
  }
}
