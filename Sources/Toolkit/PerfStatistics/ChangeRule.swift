internal import PerfModel

/// How a change is judged, once its estimate and its intervals are known.
enum ChangeRule {
  /// An estimated change with the intervals that decide, in the metric's scale.
  struct Change {
    let estimate: Double
    /// At the confidence that a regression takes; nil when so few values have no interval.
    let decisive: ClosedRange<Double>?
    /// At 95 %, for equivalence.
    let plain: ClosedRange<Double>?
  }

  /// Returns what follows of a change.
  ///
  /// - *regressed*: the decisive interval excludes zero on the bad side, and the estimate is at
  ///   least the margin; *improved* is its mirror.
  /// - *equivalent*: the 95 % interval lies inside of the margin on both sides.
  /// - otherwise *inconclusive*. A metric without a better side is never regressed or improved.
  static func verdict(
    _ change: Change, margin: Double, direction: Direction
  ) -> ComparisonVerdict {
    if let plain = change.plain, plain.lowerBound > -margin, plain.upperBound < margin {
      return .equivalent
    }
    guard let decisive = change.decisive, !decisive.contains(0),
      change.estimate.magnitude >= margin
    else { return .inconclusive }
    switch direction {
    case .neutral: return .inconclusive
    case .lower: return decisive.lowerBound > 0 ? .regressed : .improved
    case .higher: return decisive.lowerBound > 0 ? .improved : .regressed
    }
  }
}

/// The scale in which a change of a metric is looked at, and how big it must be.
struct ChangeScale {
  let scale: MetricScale
  /// The smallest change worth acting on, in the scale.
  let margin: Double
  private let base: Double

  /// Chooses the scale.
  ///
  /// Ratios need positive values; a margin in the unit wants differences. Of a margin with both
  /// parts the larger counts, so that both are exceeded.
  ///
  /// - Parameters:
  ///   - definition: The metric.
  ///   - policy: Its margin.
  ///   - base: The median of the base.
  ///   - isPositive: Whether all values are.
  init(
    _ definition: MetricDefinition, margin policy: Scenario.Margin, base: Double, isPositive: Bool
  ) {
    let relative = policy.relative ?? 0
    let isRatio = definition.scale == .ratio && isPositive && policy.absolute == nil
    scale = isRatio ? .ratio : .difference
    margin = isRatio ? relative : max(policy.absolute ?? 0, relative * base.magnitude)
    self.base = base
  }
}

extension MetricDefinition {
  /// Returns the definition with the scale in which it was compared.
  func compared(by scale: MetricScale) -> MetricDefinition {
    MetricDefinition(
      name: name, dimension: dimension, direction: direction, scale: scale,
      isDeterministic: isDeterministic, summary: summary)
  }

  /// Says how many values are negative where it cannot be; nil when there is none.
  func negatives(in values: [Double]) -> String? {
    let count = values.count { $0.isFinite && !isPossible($0) }
    return count == 0 ? nil : "negative values, which it cannot have: \(count)"
  }
}
