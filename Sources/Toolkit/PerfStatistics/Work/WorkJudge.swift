internal import PerfModel

/// The judge of one counted metric.
///
/// The interval is Student's with the pooled variance of both sides. It holds if the launches of a
/// side are independent and normal, with one variance. The error of *regressed* and *improved* is
/// `RunComparer.alpha` over all gating counted metrics and both looks at which they are possible;
/// the error of *equivalent* is 5 % over all looks.
///
/// A change must be confirmed in addition, as two launches may be equal by chance:
/// - three launches of each side confirm it if the gap between the sides exceeds four times the
///   larger range of a side. Two equally frequent modes do so in 2 (1/4)^3 = 1/32 of the
///   comparisons without a change;
/// - four launches of each side confirm it if no count of one side is between those of the other.
///   Equal launches of any distribution do so in at most 2 / C(8, 4) = 1/35 of the comparisons.
struct WorkJudge {
  /// The numbers of launches of each side at which the counts are judged.
  static let looks = 2...4
  /// The ratio of gap and range that confirms a change with three launches of each side.
  static let clearance = 4.0

  /// The error of one decisive interval: a change is possible at all looks but the first.
  let level: Double

  init(gatingCount: Int) {
    level = RunComparer.alpha / Double(max(gatingCount, 1) * (Self.looks.count - 1))
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
    let lost = max(base.launches - old.count, 0) + max(candidate.launches - new.count, 0)
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
    guard least >= Self.looks.lowerBound, (old + new).allSatisfy(\.isFinite) else {
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
    // A lost launch may have done more work.
    return lost > 0 && verdict != .regressed
      ? comparison(.inconclusive, change, note: "launches failed")
      : comparison(verdict, change, note: isEqual ? "all counts are equal" : "")
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

  private static func confirms(_ old: [Double], _ new: [Double]) -> Bool {
    guard let (lowest, highest) = range(old), let (low, high) = range(new) else { return false }
    let gap = max(low - highest, lowest - high)
    switch min(old.count, new.count) {
    case ..<3: return false
    case 3: return gap > clearance * max(highest - lowest, high - low)
    default: return gap > 0
    }
  }

  private static func range(_ values: [Double]) -> (Double, Double)? {
    values.min().flatMap { low in values.max().map { (low, $0) } }
  }
}
