public import PerfModel

/// The comparison of counted work, from two to four launches of each side.
///
/// The spread of equal launches is measured first: it widens the intervals, and a program whose
/// instructions differ by more than `limit` is nondeterministic and is judged by time alone.
public struct WorkComparer: Sendable {
  /// The largest relative spread of instructions between equal launches of one side.
  public static let limit = 0.01
  /// The most functions of a comparison.
  static let mostFunctions = 100

  /// The gating counted metrics and their margins.
  public var policy: Scenario.GatePolicy
  /// The number of gating counted metrics of the whole invocation.
  public var gatingCount: Int
  /// Whether only counted metrics gate.
  public var isAlone: Bool

  /// Creates a comparer.
  public init(
    policy: Scenario.GatePolicy = Scenario.GatePolicy().counted, gatingCount: Int = 1,
    isAlone: Bool = false
  ) {
    self.policy = policy
    self.gatingCount = gatingCount
    self.isAlone = isAlone
  }

  /// The numbers of launches of each side after which the counts are judged.
  public static var looks: ClosedRange<Int> { WorkJudge.looks }

  /// Compares the counts of two sides.
  public func compare(_ base: WorkCounts, _ candidate: WorkCounts) -> WorkComparison {
    let nondeterminism = WorkComparison.Nondeterminism(
      base: Self.spread(base), candidate: Self.spread(candidate))
    let isDeterministic = nondeterminism.largest <= Self.limit
    let obstacle =
      isDeterministic
      ? nil
      : "nondeterministic: equal launches differ by \(nondeterminism.words)"
    let judge = WorkJudge(gatingCount: gatingCount)
    let definitions = MetricName.work.compactMap { name in
      (candidate.definitions + base.definitions).first { $0.name == name }
        ?? (policy.metrics.keys.contains(name) ? MetricCatalog.standard[name] : nil)
    }
    let metrics = definitions.map { definition in
      judge.compare(
        definition, base, candidate, margin: policy.margin(of: definition.name),
        isGating: policy.metrics.keys.contains(definition.name), obstacle: obstacle)
    }
    return WorkComparison(
      metrics: metrics.filter(\.isGating) + metrics.filter { !$0.isGating },
      functions: functions(base, candidate), nondeterminism: nondeterminism,
      isDeterministic: isDeterministic, isAlone: isAlone,
      verdict: Verdicts.together(metrics.filter(\.isGating).map(\.verdict)))
  }

  private static func spread(_ counts: WorkCounts) -> Double {
    let values = counts.values[MetricName.workInstructions] ?? []
    guard let median = try? Quantiles.median(of: values), median > 0, let low = values.min(),
      let high = values.max()
    else { return 0 }
    return (high - low) / median
  }

  /// Returns the functions with a difference, largest first.
  private func functions(
    _ base: WorkCounts, _ candidate: WorkCounts
  ) -> [WorkComparison.Function] {
    let before = Dictionary(base.functions.map { ($0.key, $0) }) { first, _ in first }
    let after = Dictionary(candidate.functions.map { ($0.key, $0) }) { first, _ in first }
    let hasMisses = [base, candidate].allSatisfy { $0.values[MetricName.workDataMisses] != nil }
    return Set(before.keys).union(after.keys).compactMap { key -> WorkComparison.Function? in
      let (old, new) = (before[key], after[key])
      guard let one = new ?? old else { return nil }
      let function = WorkComparison.Function(
        name: one.name, key: key, module: one.module, base: Self.mean(old?.instructions),
        candidate: Self.mean(new?.instructions), baseCalls: Self.mean(old?.calls),
        candidateCalls: Self.mean(new?.calls),
        spread: max(Self.range(old?.instructions), Self.range(new?.instructions)),
        dataMissDifference: hasMisses ? Self.dataMissDifference(old, new) : nil)
      return function.difference == 0 ? nil : function
    }
    .sorted {
      ($1.difference.magnitude, $0.key) < ($0.difference.magnitude, $1.key)
    }
    .prefix(Self.mostFunctions).map(\.self)
  }

  /// Returns the difference of misses; a function that a side lacks did not run there.
  private static func dataMissDifference(
    _ old: WorkProfile.Function?, _ new: WorkProfile.Function?
  ) -> Double? {
    let sides = [old, new].compactMap(\.self)
    guard sides.allSatisfy({ $0.dataMisses != nil }) else { return nil }
    return mean(new?.dataMisses) - mean(old?.dataMisses)
  }

  private static func mean(_ counts: [UInt64]?) -> Double {
    guard let counts, !counts.isEmpty else { return 0 }
    // The sum of whole numbers below 2^53 is exact.
    return counts.reduce(0) { $0 + Double($1) } / Double(counts.count)
  }

  private static func range(_ counts: [UInt64]?) -> Double {
    guard let low = counts?.min(), let high = counts?.max() else { return 0 }
    return Double(high - low)
  }
}

extension WorkComparison {
  /// Whether a further launch of each side may decide an undecided gating metric.
  public var needsLaunches: Bool {
    isDeterministic
      && metrics.contains { metric in
        metric.isGating && metric.verdict == .inconclusive && metric.failures == 0
          && (1..<WorkComparer.looks.upperBound).contains(min(metric.n.base, metric.n.candidate))
      }
  }

  /// Returns the comparison without some of its gating metrics, which earlier decisions accept.
  public func without(_ names: some Collection<String>) -> WorkComparison {
    let rest = metrics.filter { !$0.isGating || !names.contains($0.definition.name) }
    guard rest.count < metrics.count else { return self }
    let verdicts = rest.filter(\.isGating).map(\.verdict)
    return WorkComparison(
      metrics: rest, functions: functions, nondeterminism: nondeterminism,
      isDeterministic: isDeterministic, isAlone: isAlone,
      verdict: verdicts.isEmpty ? .equivalent : Verdicts.together(verdicts))
  }
}

extension WorkComparison.Nondeterminism {
  /// The larger spread in words, such as `3.2%`.
  public var words: String { NumberFormat.human(largest, .ratio, digits: 2) }
}
