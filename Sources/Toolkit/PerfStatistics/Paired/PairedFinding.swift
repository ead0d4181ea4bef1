internal import Glibc
internal import PerfModel

/// What the pairs of one metric show at a look.
struct PairedFinding {
  let scale: ChangeScale
  /// The medians of the pairs' values, in base units.
  let medians: (base: Double, candidate: Double)
  let change: ChangeRule.Change
  /// The two-sided p-value of "no change", at this look alone.
  let p: Double
  /// How much of the CPU's pace was taken out, from 0 to 1; nil when it is not known.
  let paceShare: Double?

  /// Computes it.
  ///
  /// On the scale of ratios: the signed rank test of the logarithms' differences that lie together, the
  /// Hodges-Lehmann estimate, and its exact intervals (`CoreSignedRank`). On the scale of differences, where ties and zeros are
  /// frequent and the size of a difference matters: the sign-flip test, its estimate (the mean, where
  /// its distribution is centred), and its intervals.
  ///
  /// - Parameters:
  ///   - series: The complete pairs.
  ///   - metric: What was measured.
  ///   - margin: How big a change must be.
  ///   - look: How sure the intervals are; nil for an estimate without intervals.
  ///   - seed: Of sign patterns, where there are too many to count.
  /// - Throws: `emptySample` when there is no pair.
  init(
    _ series: PairSeries, _ metric: MetricDefinition, margin: Scenario.Margin,
    look: LookSchedule.Look?, seed: UInt64
  ) throws(StatisticsError) {
    let blocks = series.blocks()
    paceShare = blocks.paceShare
    medians = (
      try Quantiles.median(of: blocks.base), try Quantiles.median(of: blocks.candidate)
    )
    scale = ChangeScale(
      metric, margin: margin, base: medians.base, isPositive: series.isPositive)
    let differences = blocks.differences(scale.scale)
    switch scale.scale {
    case .ratio:
      let core = try CoreSignedRank(differences)
      p = core.p(at: 0)
      // A margin of all there is has no lower end among ratios.
      let points = [0, log1p(scale.margin), scale.margin < 1 ? log1p(-scale.margin) : 0]
      func interval(_ error: Double?) -> ClosedRange<Double>? {
        error.flatMap { core.interval(error: $0, holding: points) }
          .map { expm1($0.lowerBound)...expm1($0.upperBound) }
      }
      change = ChangeRule.Change(
        estimate: expm1(core.estimate), decisive: interval(look?.changeError),
        plain: interval(look?.equivalenceError))
    case .difference:
      p = try SignFlip.test(differences, seed: seed).p
      let flips = try SignFlipIntervals(differences, seed: seed)
      change = ChangeRule.Change(
        estimate: flips.estimate, decisive: look.flatMap { flips.interval(error: $0.changeError) },
        plain: look.flatMap { flips.interval(error: $0.equivalenceError) })
    }
  }

  /// Whether no pair shows any difference.
  var isUnchanged: Bool { change.decisive == 0...0 && change.plain == 0...0 }
}
