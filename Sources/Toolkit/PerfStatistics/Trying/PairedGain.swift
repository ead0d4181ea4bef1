public import PerfModel

/// The change of one metric over all pairs of a comparison, with its standard error.
public struct PairedGain: Hashable, Sendable {
  /// The change from base to candidate on the metric's scale.
  ///
  /// For a ratio, -0.03 means 3 % less.
  public let change: Double
  /// The 95 % interval of the change.
  public let interval: ClosedRange<Double>
  /// The standard error of the change.
  public let standardError: Double
  /// The margin in the metric's scale.
  let margin: Double
  /// The scale in which this comparison was made.
  let scale: MetricScale
  private let direction: Direction

  /// Estimates a change; nil without enough complete pairs for an interval.
  public init?(
    _ pairs: [LaunchPair], of metric: MetricDefinition, margin: Scenario.Margin,
    launchesPerPair: Int, layouts: Int = 1
  ) {
    var series = PairSeries(metric, launchesPerPair: launchesPerPair, layouts: layouts)
    for pair in pairs { series.add(pair, metric) }
    // The narrower interval has the errors of one standard error of a normal estimate on both sides.
    let look = LookSchedule.Look(
      pairs: series.count, changeError: 0.05, distributionError: 0,
      equivalenceError: 2 * Distributions.normalCumulative(-1))
    guard series.count > 0,
      let finding = try? PairedFinding(series, metric, margin: margin, look: look),
      let wide = finding.change.decisive, let narrow = finding.change.plain
    else { return nil }
    change = finding.change.estimate
    interval = wide
    standardError = (narrow.upperBound - narrow.lowerBound) / 2
    self.margin = finding.scale.margin
    scale = finding.scale.scale
    direction = metric.direction
  }

  /// Returns the change without the excess due to its selection at a two-sided level.
  ///
  /// A change is selected if it exceeds the margin and differs from zero at the level.
  public func claimed(level: Double) -> Double {
    let sign: Double = direction == .higher ? 1 : -1
    let gain = sign * change
    guard standardError > 0, gain > 0 else { return change }
    let limit = -Distributions.normalQuantile(min(level, 1) / 2) * standardError
    let threshold = min(max(limit, margin), gain)
    let effect = SelectedEffect(
      estimate: gain / standardError, threshold: threshold / standardError)
    return sign * effect.compromise * standardError
  }
}
