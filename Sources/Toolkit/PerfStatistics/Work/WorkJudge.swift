internal import PerfModel

/// The judge of one counted metric.
///
/// The interval is Student's with the pooled variance of both sides. It holds if the launches of a
/// side are independent and normal, with one variance. The error of *regressed* and *improved* is
/// half of `RunComparer.alpha` over all gating counted metrics, because the times have the other half;
/// the error of *equivalent* is 5 % over all looks.
///
/// *Regressed* and *improved* need four launches of each side, and a gap between the sides that exceeds
/// the range of either, because few launches may be equal by chance. Two equally frequent modes have
/// such a gap in 2 (1/2)^8 = 1/128 of the comparisons without a change.
struct WorkJudge {
  /// The numbers of launches of each side at which the counts are judged.
  static let looks = 2...4
  /// The error of a decisive interval.
  let level: Double

  init(gatingCount: Int) {
    level = RunComparer.alpha / 2 / Double(max(gatingCount, 1))
  }

  func compare(
    _ definition: MetricDefinition, _ base: WorkCounts, _ candidate: WorkCounts,
    margin: Scenario.Margin, isGating: Bool, obstacle: String?
  ) -> MetricComparison {
    let (old, new) = (base.values[definition.name] ?? [], candidate.values[definition.name] ?? [])
    let medians = (try? Quantiles.median(of: old), try? Quantiles.median(of: new))
    let scale = ChangeScale(
      definition, margin: margin, base: medians.0 ?? 0,
      isPositive: (old + new).allSatisfy { $0 > 0 })
    let unit = scale.scale
    let lost = Self.lost(base, old) + Self.lost(candidate, new)
    func comparison(
      _ verdict: ComparisonVerdict, _ change: ChangeRule.Change?, note: String = ""
    ) -> MetricComparison {
      MetricComparison(
        definition: definition.compared(by: unit), base: medians.0, candidate: medians.1,
        ratio: medians.0.flatMap { old in old > 0 ? medians.1.map { $0 / old } : nil },
        estimate: change?.estimate, low: change?.decisive?.lowerBound,
        high: change?.decisive?.upperBound, p: nil, n: (old.count, new.count),
        margin: scale.margin, isGating: isGating, verdict: verdict, failures: lost, note: note)
    }
    let least = min(old.count, new.count)
    guard least >= Self.looks.lowerBound, (old + new).allSatisfy(definition.isPossible) else {
      return comparison(
        .inconclusive, nil, note: "\(old.count) and \(new.count) counts; each side needs two")
    }
    let isEqual = Set(old + new).count == 1
    // The mean of equal positions is rounded, which would be a tiny change.
    let change =
      isEqual
      ? ChangeRule.Change(estimate: 0, decisive: 0...0, plain: 0...0)
      : change(old.map(unit.position), new.map(unit.position), unit)
    if let obstacle { return comparison(.inconclusive, change, note: obstacle) }
    let verdict =
      isEqual
      ? .equivalent
      : ChangeRule.verdict(change, margin: scale.margin, direction: definition.direction)
    switch verdict {
    case .regressed, .improved:
      guard Self.confirms(old.map(unit.position), new.map(unit.position)) else {
        return comparison(.inconclusive, change, note: "further launches may confirm the change")
      }
    case .inconclusive:
      return comparison(verdict, change, note: "equal launches differ too much for the margin")
    case .equivalent, .void: break
    }
    // A lost launch may have done more work, and so may a child process, of the base as well.
    let lacksChildren = base.lacksChildren || verdict != .regressed && candidate.lacksChildren
    if lacksChildren || verdict != .regressed && lost > 0 {
      return comparison(
        .inconclusive, change,
        note: lacksChildren ? "child processes are not counted" : "launches failed")
    }
    return comparison(verdict, change, note: isEqual ? "all counts are equal" : "")
  }

  /// Estimates the change of positions with its intervals.
  private func change(_ old: [Double], _ new: [Double], _ unit: MetricScale) -> ChangeRule.Change {
    let (first, second) = (Moments(old), Moments(new))
    let degrees = old.count + new.count - 2
    let variance = (first.squares + second.squares) / Double(degrees)
    let error = (variance * (1 / Double(old.count) + 1 / Double(new.count))).squareRoot()
    let shift = second.mean - first.mean
    func interval(_ error: Double, _ level: Double) -> ClosedRange<Double> {
      let width =
        error * Distributions.studentTwoSided(confidence: 1 - level, degrees: degrees)
      return unit.change(shift - width)...unit.change(shift + width)
    }
    return ChangeRule.Change(
      estimate: unit.change(shift), decisive: interval(error, level),
      plain: interval(error, 0.05 / Double(Self.looks.count)))
  }

  /// Returns the number of launches without a value; evidence of a report may contain any number.
  private static func lost(_ counts: WorkCounts, _ values: [Double]) -> Int {
    counts.launches > values.count ? min(counts.launches - values.count, 1_000_000) : 0
  }

  private static func confirms(_ old: [Double], _ new: [Double]) -> Bool {
    guard let (lowest, highest) = range(old), let (low, high) = range(new) else { return false }
    return min(old.count, new.count) >= looks.upperBound
      && max(low - highest, lowest - high) > max(highest - lowest, high - low)
  }

  private static func range(_ values: [Double]) -> (Double, Double)? {
    values.min().flatMap { low in values.max().map { (low, $0) } }
  }
}
