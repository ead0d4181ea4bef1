internal import Glibc
internal import PerfModel

/// The change of one metric at a look.
struct PairedFinding {
  let scale: ChangeScale
  /// The medians of the pairs' values, in base units.
  let medians: (base: Double, candidate: Double)
  let change: ChangeRule.Change
  /// The two-sided p-value of "no change" at this look alone.
  let p: Double
  /// The share of the CPU's pace that was removed, 0...1; nil if the pace is unknown.
  let paceShare: Double?

  /// Estimates the change.
  ///
  /// On the ratio scale: the signed rank test of the logarithms' differences within the core of the
  /// sample, the Hodges-Lehmann estimate and its exact intervals (`CoreSignedRank`). On the
  /// difference scale, where ties and zeros are frequent and the size of a difference matters: the
  /// sign-flip test, the mean (the centre of its distribution) and its intervals.
  ///
  /// `look` is nil for an estimate without intervals; the seed is for sign patterns, if there are
  /// too many to enumerate.
  ///
  /// - Throws: `emptySample` if there is no pair.
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
    let unit = scale.scale
    let differences = zip(blocks.base, blocks.candidate).map {
      unit.position($1) - unit.position($0)
    }
    switch unit {
    case .ratio:
      let core = try CoreSignedRank(differences)
      p = core.p(at: 0)
      // A margin of 100 % or more has no lower limit on the ratio scale.
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

  /// Whether all pairs have a difference of zero.
  var isUnchanged: Bool { change.decisive == 0...0 && change.plain == 0...0 }
}
