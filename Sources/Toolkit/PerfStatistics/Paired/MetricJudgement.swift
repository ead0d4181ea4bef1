public import PerfModel

/// The judgement of a metric after a number of pairs.
public struct MetricJudgement: Hashable, Sendable {
  /// The metric, with the scale on which it was compared.
  public let definition: MetricDefinition
  /// Whether the metric gates.
  public let isGating: Bool
  /// The verdict, final from the look that reached it.
  ///
  /// It is *inconclusive* after the last look without a decision, and nil while further pairs may
  /// decide.
  public let verdict: ComparisonVerdict?
  /// The number of pairs at the decisive look; nil before.
  public let decidedAt: Int?
  /// The number of complete pairs.
  public let pairs: Int
  /// The number of incomplete pairs, by side.
  public let lost: Lost
  /// The number of incomplete pairs with a failed launch.
  public let failed: Int
  /// The medians of the pairs' values at the last look, in base units; nil without a pair.
  public let medians: Medians?
  /// The estimated change in the metric's scale: 0.03 is 3 %, or a difference in the base unit.
  public let estimate: Double?
  /// The decisive interval, or the interval of the change at the last look; nil before the first
  /// look.
  public let interval: ClosedRange<Double>?
  /// The two-sided p-value of "no change" at the last look alone.
  public let p: Double?
  /// The smallest change worth acting on, in the metric's scale.
  public let margin: Double?
  /// The share of the CPU's pace that was removed, 0...1; nil if the pace is unknown.
  public let paceShare: Double?
  /// The estimated number of further pairs for a decision; nil after a decision or without an
  /// estimate.
  public let pairsNeeded: Int?
  /// The missing and impossible values, in words; nil if there are none.
  public let gap: String?
  /// The reason why there is no decision, or another remark; may be empty.
  public let note: String

  /// The numbers of pairs without a usable value, by side.
  public struct Lost: Hashable, Sendable {
    /// The number of pairs in which a launch of the base has no usable value.
    public let base: Int
    /// The number of pairs in which a launch of the candidate has no usable value.
    public let candidate: Int
  }

  /// The medians of both sides.
  public struct Medians: Hashable, Sendable {
    /// The median of the base.
    public let base: Double
    /// The median of the candidate.
    public let candidate: Double
  }

  /// The judgement as a comparison; without a decision it is inconclusive.
  public var comparison: MetricComparison {
    MetricComparison(
      definition: definition, base: medians?.base, candidate: medians?.candidate,
      ratio: medians.flatMap { $0.base > 0 ? $0.candidate / $0.base : nil }, estimate: estimate,
      low: interval?.lowerBound, high: interval?.upperBound, p: p, n: (pairs, pairs),
      margin: margin, isGating: isGating, verdict: verdict ?? .inconclusive, decidedAt: decidedAt,
      pairsNeeded: pairsNeeded, failures: failed, paceShare: paceShare, note: note)
  }
}
