public import PerfModel

/// What can be said of a metric after some pairs.
public struct MetricJudgement: Hashable, Sendable {
  /// The metric, with the scale in which it was compared.
  public let definition: MetricDefinition
  /// Whether it decides.
  public let isGating: Bool
  /// The verdict, frozen at the look that reached it, or *inconclusive* after the last one; nil while
  /// more pairs may decide it.
  public let verdict: ComparisonVerdict?
  /// The number of pairs at which it was decided; nil while it is not.
  public let decidedAt: Int?
  /// Complete pairs so far.
  public let pairs: Int
  /// Pairs of which a launch of that side lacks the metric.
  public let lost: Lost
  /// Pairs that lack the metric because a launch of them failed.
  public let failed: Int
  /// The medians of the pairs' values at the look, in base units; nil without any pair.
  public let medians: Medians?
  /// The change in the metric's scale: 0.03 is 3 percent, or a difference in the base unit.
  public let estimate: Double?
  /// The interval that decided, or that of a change at the last look; nil before the first.
  public let interval: ClosedRange<Double>?
  /// The two-sided p-value of "no change" at the look alone.
  public let p: Double?
  /// The smallest change worth acting on, in the metric's scale.
  public let margin: Double?
  /// How much of the CPU's pace right before each launch was taken out, from 0 to 1; nil when it is not known.
  public let paceShare: Double?
  /// How many further pairs would probably decide it; nil when it is decided, or that cannot be told.
  public let pairsNeeded: Int?
  /// How many pairs lack it or have values that it cannot have, in words; nil when all have it.
  public let gap: String?
  /// Why it is not decided, or what else a reader must know; may be empty.
  public let note: String

  /// Pairs that lack the metric, by side.
  public struct Lost: Hashable, Sendable {
    /// Pairs in which a launch of the base lacks it.
    public let base: Int
    /// Pairs in which a launch of the candidate lacks it.
    public let candidate: Int
  }

  /// The middle of both sides.
  public struct Medians: Hashable, Sendable {
    /// Of the base.
    public let base: Double
    /// Of the candidate.
    public let candidate: Double
  }

  /// The judgement in the form of a comparison; what is not decided is inconclusive.
  public var comparison: MetricComparison {
    MetricComparison(
      definition: definition, base: medians?.base, candidate: medians?.candidate,
      ratio: medians.flatMap { $0.base > 0 ? $0.candidate / $0.base : nil }, estimate: estimate,
      low: interval?.lowerBound, high: interval?.upperBound, p: p, n: (pairs, pairs),
      margin: margin, isGating: isGating, verdict: verdict ?? .inconclusive, decidedAt: decidedAt,
      pairsNeeded: pairsNeeded, failures: failed, paceShare: paceShare, note: note)
  }
}
