internal import Glibc
internal import PerfModel

/// The rule that judges a change by its estimate and its intervals.
enum ChangeRule {
  static let neutralNote = "not judged: neither direction is better"
  static let differenceNote = "compared as a difference"

  /// An estimated change with the intervals that decide, in the metric's scale.
  struct Change {
    let estimate: Double
    /// The interval at the confidence of a regression; nil if there are too few values.
    let decisive: ClosedRange<Double>?
    /// The 95 % interval, for equivalence; nil if there are too few values.
    let plain: ClosedRange<Double>?
  }

  /// Returns the verdict on a change.
  ///
  /// - *regressed*: the decisive interval excludes zero on the bad side, and the estimate is at
  ///   least the margin; *improved* is the mirror image.
  /// - *equivalent*: the 95 % interval is strictly within the margin on both sides.
  /// - *inconclusive* otherwise. A metric without a better direction is never regressed or
  ///   improved.
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

/// The scale on which a change of a metric is compared, with the margin.
struct ChangeScale {
  let scale: MetricScale
  /// The smallest change worth acting on, in the scale.
  let margin: Double

  /// Chooses the scale.
  ///
  /// Ratios need positive values; an absolute margin needs differences. If a margin has a relative
  /// and an absolute part, the larger one counts. The base is its median, in base units.
  init(
    _ definition: MetricDefinition, margin policy: Scenario.Margin, base: Double, isPositive: Bool
  ) {
    let relative = policy.relative ?? 0
    let isRatio = definition.scale == .ratio && isPositive && policy.absolute == nil
    scale = isRatio ? .ratio : .difference
    margin = isRatio ? relative : max(policy.absolute ?? 0, relative * base.magnitude)
  }

  /// The margin on both sides as positions; a margin of 100 % or more has no lower limit.
  var positions: (lower: Double, upper: Double) {
    scale == .ratio
      ? (margin < 1 ? log1p(-margin) : -Double.infinity, log1p(margin)) : (-margin, margin)
  }
}

extension MetricScale {
  /// Returns the logarithm of a value for ratios, the value itself for differences.
  ///
  /// A change is a difference of such positions.
  func position(_ value: Double) -> Double { self == .ratio ? log(value) : value }

  /// Returns the change that a difference of positions represents: 0.03 for 3 %, or the difference.
  func change(_ difference: Double) -> Double { self == .ratio ? expm1(difference) : difference }
}

extension MetricDefinition {
  func compared(by scale: MetricScale) -> MetricDefinition {
    MetricDefinition(
      name: name, dimension: dimension, direction: direction, scale: scale,
      isDeterministic: isDeterministic, summary: summary)
  }

  /// Returns a note on negative values of a metric that cannot be negative; nil if there are none.
  func negatives(in values: [Double]) -> String? {
    let count = values.count { $0.isFinite && !isPossible($0) }
    guard count > 0 else { return nil }
    return "\(count) negative \(count == 1 ? "value" : "values"), which the metric cannot have"
  }
}
