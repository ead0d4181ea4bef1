public import PerfModel

/// The statistic that represents the launches of one side of a pair.
///
/// On a shared machine launches switch between a fast and a slow state: 27 % of the pairs of single
/// launches differed by 10 to 40 %. The minimum of four launches is nearly always from the fast
/// state; their median or mean is not. Metrics without such states (e.g. memory) or about rare
/// events (e.g. hitches) use the median, and so do launches normalised to one pace of the CPU
/// (`PaceCorrection`), whose remaining noise is symmetric.
public enum BlockStatistic: Sendable {
  /// The minimum, for wall and CPU time.
  case minimum
  case median
  /// The mean, for metrics that are 0 or 1 per launch: a median would hide the rarer value.
  case mean

  /// The duration in seconds below which a launch is short.
  public static let shortLaunch = 0.5
  /// The number of launches per side and pair for short launches.
  public static let shortLaunches = 4

  /// Returns the number of launches per side and pair, which is fixed before the first pair:
  /// `shortLaunches` or 1.
  public static func launchesPerPair(forLaunchOf seconds: Double) -> Int {
    seconds < shortLaunch ? shortLaunches : 1
  }

  /// Chooses the statistic of a metric.
  public init(for metric: MetricDefinition) {
    self =
      metric.name == MetricName.crashRate
      ? .mean : MetricName.isRunTime(metric.name) ? .minimum : .median
  }

  /// Returns the statistic of the values of one side's launches: at least one, finite.
  public func value(of values: [Double]) -> Double {
    let sorted = values.sorted()
    switch self {
    case .minimum: return sorted[0]
    case .median: return Quantiles.ofSorted(sorted, 0.5)
    case .mean: return values.reduce(0) { $0 + $1 / Double(values.count) }
    }
  }
}
