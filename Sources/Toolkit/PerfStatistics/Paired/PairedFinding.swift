internal import Glibc
internal import PerfModel

/// The change of one metric at a look.
struct PairedFinding {
  let scale: ChangeScale
  /// All launches with the pair's values.
  let blocks: PairSeries.Blocks
  /// The medians of the pairs' values, in base units.
  let medians: (base: Double, candidate: Double)
  let change: ChangeRule.Change
  /// The two-sided p-value of "no change" at this look alone.
  let p: Double
  /// The variance between and within layouts; nil without layouts, or if it is unknown.
  let variance: LayoutGroups.Variance?

  /// Estimates the change.
  ///
  /// On the ratio scale: the signed rank test of the logarithms' differences within the core of the
  /// sample, the Hodges-Lehmann estimate and its exact intervals (`CoreSignedRank`). On the
  /// difference scale, where ties and zeros are frequent and the size of a difference matters: the
  /// sign-flip test, the mean (the centre of its distribution) and its intervals. With layouts, the
  /// differences are those of the layouts.
  ///
  /// `look` is nil for an estimate without intervals.
  ///
  /// - Throws: `emptySample` if there is no pair.
  init(
    _ series: PairSeries, _ metric: MetricDefinition, margin: Scenario.Margin,
    look: LookSchedule.Look?
  ) throws(StatisticsError) {
    let blocks = series.blocks()
    self.blocks = blocks
    medians = (
      try Quantiles.median(of: blocks.base), try Quantiles.median(of: blocks.candidate)
    )
    scale = ChangeScale(
      metric, margin: margin, base: medians.base, isPositive: series.isPositive)
    let unit = scale.scale
    let pairs = zip(blocks.base, blocks.candidate).map { unit.position($1) - unit.position($0) }
    let groups = blocks.groups
    variance =
      series.hasLayouts
      ? groups.variance(
        blocks.launches.map { ($0.base.map(unit.position), $0.candidate.map(unit.position)) }) : nil
    switch unit {
    case .ratio:
      let core = try CoreSignedRank(groups.centers(pairs))
      p = core.p(at: 0)
      let limits = scale.positions
      let points = [0, limits.upper, limits.lower.isFinite ? limits.lower : 0]
      func interval(_ error: Double?) -> ClosedRange<Double>? {
        error.flatMap { core.interval(error: $0, holding: points) }
          .map { expm1($0.lowerBound)...expm1($0.upperBound) }
      }
      change = ChangeRule.Change(
        estimate: expm1(core.estimate), decisive: interval(look?.changeError),
        plain: interval(look?.equivalenceError))
    case .difference:
      let differences = groups.means(pairs)
      p = try SignFlip.test(differences).p
      let flips = try SignFlipIntervals(differences)
      change = ChangeRule.Change(
        estimate: flips.estimate, decisive: look.flatMap { flips.interval(error: $0.changeError) },
        plain: look.flatMap { flips.interval(error: $0.equivalenceError) })
    }
  }

  /// Returns the launches of all pairs.
  func distribution(_ direction: Direction) -> LaunchDistribution {
    LaunchDistribution(blocks.launches, scale, direction, blocks.groups)
  }

  /// The part of the variation that layout causes, on the metric's scale; nil if unknown.
  var layout: LayoutEffect? {
    variance.map { part in
      LayoutEffect(
        share: part.layout / (part.layout + part.pair),
        deviation: scale.scale.change(part.layout.squareRoot()))
    }
  }

  /// Whether all pairs have a difference of zero.
  var isUnchanged: Bool { change.decisive == 0...0 && change.plain == 0...0 }
}
