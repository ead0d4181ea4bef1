internal import Glibc
public import PerfModel

/// Compares two stored runs, which were measured one after the other.
///
/// Two sessions of one unchanged program differ by far more than the launches within one. Of 1,500
/// recorded pairs of launches of an unchanged 44 ms program, blocks of 10 or 20 launches some time
/// apart were told from each other by a rank test at 0.01 in 30 to 45 %, and by a 2 % margin in 22 to
/// 27 %; once the whole interval had to lie beyond 5 %, in 0.2 to 3 %. So each interval is widened by
/// `drift` on both sides before the rule is applied. That is the honest answer to stored runs: big
/// changes are told, small ones are for interleaved pairs.
public struct RunComparer: Sendable {
  /// How far two sessions of one program may lie apart: a fraction.
  public static let drift = 0.05
  /// The error probability of all gating metrics together.
  public static let alpha = 0.02

  /// Which metrics gate, and from which change on.
  public var policy: Scenario.GatePolicy
  /// How many metrics gate in the whole invocation; nil for those of this comparison.
  public var gatingCount: Int?
  /// Whether environments that differ are compared all the same, visibly.
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
  /// Of each metric: the Hodges-Lehmann shift, of logarithms where its scale is a ratio; its exact
  /// interval at 1 - alpha / G with G gating metrics, widened; the p-value of Mann and Whitney's test
  /// (not widened); and the verdict by the rule of `ChangeRule`.
  ///
  /// - Parameters:
  ///   - base: What it was before.
  ///   - candidate: What it is now; its budgets say what gates when the policy does not.
  /// - Returns: The comparison; void when the environments differ in what matters, or the scenarios do.
  /// - Throws: `StatisticsError.nothingInCommon` when no metric has values in both.
  public func compare(
    _ base: Run, _ candidate: Run
  ) throws(StatisticsError) -> Comparison {
    let definitions = Self.definitions(base, candidate)
    guard
      definitions.contains(where: {
        !base.values(of: $0.name).isEmpty && !candidate.values(of: $0.name).isEmpty
      })
    else { throw .nothingInCommon(base: base.id, candidate: candidate.id) }
    let gating = GatingMetrics.names(
      policy, budgets: candidate.budgets, definitions: definitions)
    let level = Self.alpha / Double(max(gatingCount ?? gating.count, 1))
    let metrics = definitions.compactMap { definition in
      compare(
        definition, base.values(of: definition.name), candidate.values(of: definition.name),
        gap: MetricGap(definition.name, in: [("base", base), ("candidate", candidate)]),
        isGating: gating.contains(definition.name), level: level)
    }
    let ordered = metrics.filter(\.isGating) + metrics.filter { !$0.isGating }
    let times = FunctionComparer.times(base, candidate)
    let differences = base.environment.differences(to: candidate.environment)
    let isVoid =
      base.scenario != candidate.scenario
      || !allowsDifferentEnvironments && differences.contains(where: \.voids)
    let absent = gating.filter { name in !metrics.contains { $0.definition.name == name } }
    let verdicts =
      ordered.filter(\.isGating).map(\.verdict) + absent.map { _ in ComparisonVerdict.inconclusive }
    return Comparison(
      id: "\(base.id)-\(candidate.id)", base: .init(base), candidate: .init(candidate),
      alpha: Self.alpha, seed: 0, metrics: ordered,
      functions: times.map(FunctionComparer().compare) ?? [],
      environmentDifferences: differences,
      warnings: warnings(base, candidate, times, absent: absent, level: level),
      verdict: Verdicts.together(verdicts, isVoid: isVoid))
  }

  /// Returns the definitions of both runs, those of the candidate where both have one.
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
    if base.isEmpty { return undecided("the base has no values of it") }
    if candidate.isEmpty { return undecided("the candidate has no values of it") }
    if let negatives = definition.negatives(in: base + candidate) { return undecided(negatives) }
    do {
      return try compare(definition, base, candidate, level).comparison(
        definition, base, candidate, gap: gap, isGating: isGating)
    } catch {
      return undecided(error.description)
    }
  }

  /// What was found of a metric with values on both sides.
  private struct Finding {
    let scale: ChangeScale
    let change: ChangeRule.Change
    let p: Double
    let verdict: ComparisonVerdict
    let note: String

    func comparison(
      _ definition: MetricDefinition, _ base: [Double], _ candidate: [Double], gap: MetricGap?,
      isGating: Bool
    ) throws(StatisticsError) -> MetricComparison {
      // The launches that lack it may be the ones that became worse.
      let gap = verdict == .regressed ? nil : gap
      let (old, new) = (try Quantiles.median(of: base), try Quantiles.median(of: candidate))
      return MetricComparison(
        definition: definition.compared(by: scale.scale), base: old, candidate: new,
        ratio: old > 0 ? new / old : nil, estimate: change.estimate,
        low: change.decisive?.lowerBound, high: change.decisive?.upperBound, p: p,
        n: (base.count, candidate.count), margin: scale.margin, isGating: isGating,
        verdict: gap == nil ? verdict : .inconclusive, failures: gap?.failures ?? 0,
        note: [gap?.words, note].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "; "))
    }
  }

  private func compare(
    _ definition: MetricDefinition, _ base: [Double], _ candidate: [Double], _ level: Double
  ) throws(StatisticsError) -> Finding {
    let p = try RankSum.test(base, candidate).p
    let (old, new) = (try Quantiles.median(of: base), try Quantiles.median(of: candidate))
    let scale = ChangeScale(
      definition, margin: policy.margin(of: definition.name), base: old,
      isPositive: (base + candidate).allSatisfy { $0 > 0 })
    // A few launches may be equal by chance, unless the metric is the same in every launch anyway.
    let isShown =
      definition.isDeterministic || RankSum.smallestP(base.count, candidate.count) <= level
    if isShown, base.min() == candidate.max(), base.max() == candidate.min() {
      let change = ChangeRule.Change(estimate: 0, decisive: 0...0, plain: 0...0)
      return Finding(
        scale: scale, change: change, p: p, verdict: .equivalent, note: "all values are equal")
    }
    let isRatio = scale.scale == .ratio
    let (first, second) =
      isRatio ? (base.map { log($0) }, candidate.map { log($0) }) : (base, candidate)
    let drift =
      definition.isDeterministic
      ? 0 : isRatio ? log1p(Self.drift) : Self.drift * max(old.magnitude, new.magnitude)
    func back(_ value: Double) -> Double { isRatio ? expm1(value) : value }
    func widened(_ confidence: Double) throws(StatisticsError) -> IntervalEstimate {
      try HodgesLehmann.shift(from: first, to: second, confidence: confidence)
    }
    let decisive = try widened(1 - level)
    func range(_ estimate: IntervalEstimate) -> ClosedRange<Double>? {
      estimate.interval.map { back($0.lowerBound - drift)...back($0.upperBound + drift) }
    }
    let change = ChangeRule.Change(
      estimate: back(decisive.value), decisive: range(decisive),
      plain: range(try widened(0.95)))
    let verdict = ChangeRule.verdict(
      change, margin: scale.margin, direction: definition.direction)
    let note = note(
      verdict, change, scale, definition, counts: (base.count, candidate.count),
      needed: decisive.valuesNeeded)
    return Finding(scale: scale, change: change, p: p, verdict: verdict, note: note)
  }

  private func note(
    _ verdict: ComparisonVerdict, _ change: ChangeRule.Change, _ scale: ChangeScale,
    _ definition: MetricDefinition, counts: (base: Int, candidate: Int), needed: Int
  ) -> String {
    var notes: [String] = []
    if definition.scale == .ratio, scale.scale == .difference {
      notes.append("compared by differences")
    }
    guard verdict == .inconclusive else { return notes.joined(separator: "; ") }
    if change.decisive == nil {
      notes.append(
        "\(counts.base) and \(counts.candidate) iterations cannot show any change; it takes "
          + "\(needed) a side")
    } else if definition.direction == .neutral {
      notes.append("neither better low nor high, so it is not judged")
    } else if change.decisive?.contains(0) == false {
      notes.append("a change, but smaller than the margin")
    } else {
      notes.append("the interval, widened for the drift between sessions, holds no change as well")
    }
    return notes.joined(separator: "; ")
  }
}
