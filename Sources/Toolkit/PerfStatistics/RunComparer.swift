internal import Glibc
public import PerfModel

/// The comparison of two stored runs, which were measured one after the other.
///
/// Two sessions of one unchanged program differ by far more than the launches within a session. In
/// 1,500 recorded pairs of launches of an unchanged 44 ms program, a rank test at 0.01 found a
/// difference between 30 to 45 % of the blocks of 10 or 20 launches that were some time apart, and
/// a 2 % margin found one in 22 to 27 %. With the requirement that the whole interval is beyond
/// 5 %, the rate was 0.2 to 3 %. So each interval is widened by `drift` on both sides before the
/// rule is applied. Stored runs show large changes; small ones need interleaved pairs.
public struct RunComparer: Sendable {
  /// The expected difference between two sessions of one program, as a fraction.
  public static let drift = 0.05
  /// The error probability of all gating metrics together.
  public static let alpha = 0.02

  /// The gating metrics and their margins.
  public var policy: Scenario.GatePolicy
  /// The number of gating metrics of the whole invocation; nil to count this comparison only.
  public var gatingCount: Int?
  /// Whether runs from different environments are compared, with a warning.
  public var allowsDifferentEnvironments: Bool

  /// Creates a comparer.
  public init(
    policy: Scenario.GatePolicy = Scenario.GatePolicy(), gatingCount: Int? = nil,
    allowsDifferentEnvironments: Bool = false
  ) {
    self.policy = policy
    self.gatingCount = gatingCount
    self.allowsDifferentEnvironments = allowsDifferentEnvironments
  }

  /// Compares two runs metric by metric and function by function.
  ///
  /// For each metric the comparison contains the Hodges-Lehmann shift (of logarithms on a ratio
  /// scale), its exact interval at 1 - alpha / G for G gating metrics, widened by `drift`, the
  /// p-value of the Mann-Whitney test (not widened), and the verdict by `ChangeRule`. The
  /// candidate's budgets gate if the policy names no metric. The comparison is void if the
  /// scenarios or voiding facts of the environments differ. Counted runs are compared by
  /// `WorkComparer` in addition.
  ///
  /// - Throws: `StatisticsError.nothingInCommon` or `countedAlone` if no metric has values in both runs.
  public func compare(
    _ base: Run, _ candidate: Run
  ) throws(StatisticsError) -> Comparison {
    let counted = base.work != nil && candidate.work != nil
    let definitions = Self.definitions(base, candidate).filter {
      !counted || !MetricName.work.contains($0.name)
    }
    guard
      counted
        || definitions.contains(where: {
          !base.values(of: $0.name).isEmpty && !candidate.values(of: $0.name).isEmpty
        })
    else {
      let runs = [base, candidate]
      if let run = runs.first(where: { $0.work != nil }),
        let other = runs.first(where: { $0.work == nil })
      {
        throw .countedAlone(run: run.id, other: other.id)
      }
      throw .nothingInCommon(base: base.id, candidate: candidate.id)
    }
    let plan = GatingPlan(
      policy.namesOnlyWork && !counted ? policy : policy.timed, count: gatingCount,
      budgets: candidate.budgets, definitions: definitions)
    let metrics = plan.ordered(
      definitions.compactMap { definition in
        compare(
          definition, base.values(of: definition.name), candidate.values(of: definition.name),
          gap: MetricGap(definition.name, in: [("base", base), ("candidate", candidate)]),
          isGating: plan.names.contains(definition.name), level: plan.level)
      })
    let times = FunctionComparer.times(base, candidate)
    let differences = base.environment.differences(to: candidate.environment)
    let isVoid =
      base.scenario != candidate.scenario
      || !allowsDifferentEnvironments && differences.contains(where: \.voids)
    var comparison = Comparison(
      id: "\(base.id)-\(candidate.id)", base: .init(base), candidate: .init(candidate),
      alpha: Self.alpha, seed: 0, metrics: metrics,
      functions: times.map(FunctionComparer().compare) ?? [],
      environmentDifferences: differences,
      warnings: warnings(
        base, candidate, times, missing: plan.missing(from: metrics), level: plan.level),
      verdict: plan.verdict(metrics, isVoid: isVoid))
    comparison.allocations = FunctionComparer().compareAllocations(base, candidate)
    if counted {
      let comparer = WorkComparer(
        policy: policy.counted, isAlone: policy.namesOnlyWork || metrics.isEmpty)
      comparison.work = comparer.compare(WorkCounts([base]), WorkCounts([candidate]))
    }
    return comparison
  }

  /// Returns the metric definitions of both runs; the candidate's definition of a metric has
  /// priority.
  public static func definitions(_ base: Run, _ candidate: Run) -> [MetricDefinition] {
    let known = Set(candidate.definitions.map(\.name))
    return candidate.definitions + base.definitions.filter { !known.contains($0.name) }
  }

  private func compare(
    _ definition: MetricDefinition, _ base: [Double], _ candidate: [Double], gap: MetricGap?,
    isGating: Bool, level: Double
  ) -> MetricComparison? {
    guard !base.isEmpty || !candidate.isEmpty else { return nil }
    let medians = (try? Quantiles.median(of: base), try? Quantiles.median(of: candidate))
    func undecided(_ note: String) -> MetricComparison {
      MetricComparison(
        definition: definition, base: medians.0, candidate: medians.1, ratio: nil, estimate: nil,
        low: nil, high: nil, p: nil, n: (base.count, candidate.count), margin: nil,
        isGating: isGating, verdict: .inconclusive, note: note)
    }
    if base.isEmpty { return undecided("no values in the base") }
    if candidate.isEmpty { return undecided("no values in the candidate") }
    if let negatives = definition.negatives(in: base + candidate) { return undecided(negatives) }
    do {
      return try compare(definition, base, candidate, gap, isGating: isGating, level: level)
    } catch {
      return undecided(error.description)
    }
  }

  /// Compares a metric with values on both sides.
  private func compare(
    _ definition: MetricDefinition, _ base: [Double], _ candidate: [Double], _ gap: MetricGap?,
    isGating: Bool, level: Double
  ) throws(StatisticsError) -> MetricComparison {
    let p = try RankSum.test(base, candidate).p
    let (old, new) = (try Quantiles.median(of: base), try Quantiles.median(of: candidate))
    let scale = ChangeScale(
      definition, margin: policy.margin(of: definition.name), base: old,
      isPositive: (base + candidate).allSatisfy { $0 > 0 })
    let unit = scale.scale
    func comparison(
      _ change: ChangeRule.Change, _ verdict: ComparisonVerdict, _ note: String
    ) -> MetricComparison {
      // The launches without the metric may have become worse.
      let gap = verdict == .regressed ? nil : gap
      return MetricComparison(
        definition: definition.compared(by: unit), base: old, candidate: new,
        ratio: old > 0 ? new / old : nil, estimate: change.estimate,
        low: change.decisive?.lowerBound, high: change.decisive?.upperBound, p: p,
        n: (base.count, candidate.count), margin: scale.margin, isGating: isGating,
        verdict: gap == nil ? verdict : .inconclusive, failures: gap?.failures ?? 0,
        note: [gap?.words, note].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "; "))
    }
    // A few launches may be equal by chance, unless the metric is deterministic.
    let isShown =
      definition.isDeterministic || RankSum.smallestP(base.count, candidate.count) <= level
    if isShown, base.min() == candidate.max(), base.max() == candidate.min() {
      return comparison(
        .init(estimate: 0, decisive: 0...0, plain: 0...0), .equivalent, "all values are equal")
    }
    let (first, second) = (base.map(unit.position), candidate.map(unit.position))
    let drift: Double =
      if definition.isDeterministic {
        0
      } else if unit == .ratio {
        log1p(Self.drift)
      } else {
        Self.drift * max(old.magnitude, new.magnitude)
      }
    func shift(_ confidence: Double) throws(StatisticsError) -> IntervalEstimate {
      try HodgesLehmann.shift(from: first, to: second, confidence: confidence)
    }
    func widened(_ shift: IntervalEstimate) -> ClosedRange<Double>? {
      shift.interval.map {
        unit.change($0.lowerBound - drift)...unit.change($0.upperBound + drift)
      }
    }
    let decisive = try shift(1 - level)
    let change = ChangeRule.Change(
      estimate: unit.change(decisive.value), decisive: widened(decisive),
      plain: widened(try shift(0.95)))
    let verdict = ChangeRule.verdict(
      change, margin: scale.margin, direction: definition.direction)
    let notes = [
      definition.scale == .ratio && unit == .difference ? ChangeRule.differenceNote : nil,
      verdict == .inconclusive
        ? Self.reason(
          change, definition.direction, counts: (base.count, candidate.count),
          needed: decisive.valuesNeeded) : nil,
    ]
    return comparison(change, verdict, notes.compactMap(\.self).joined(separator: "; "))
  }

  /// Returns why a change is inconclusive.
  private static func reason(
    _ change: ChangeRule.Change, _ direction: Direction, counts: (base: Int, candidate: Int),
    needed: Int
  ) -> String {
    guard let decisive = change.decisive else {
      return "\(counts.base) and \(counts.candidate) launches cannot show any change; at least "
        + "\(needed) per side are needed"
    }
    if direction == .neutral { return ChangeRule.neutralNote }
    return decisive.contains(0)
      ? "the interval, widened for the drift between sessions, contains zero"
      : "changed by less than the margin"
  }
}
