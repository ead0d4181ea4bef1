public import PerfModel

/// Which number stands for the launches of one side of a pair.
///
/// On a shared machine launches switch between a fast and a slow state, so that 27 % of the pairs of
/// single launches were off by 10 to 40 %. The minimum of four launches is of the fast state nearly
/// always; their median or mean is not. What has no such states, as memory, or is about what happens
/// now and then, as hitches, is no minimum; nor are launches that are brought to one pace of the CPU
/// (`PaceCorrection`), where what is left of their noise goes both ways.
public enum BlockStatistic: Sendable {
  case minimum
  case median
  /// Of what is 0 or 1 in a launch: their median would hide what hits fewer than half.
  case mean

  /// Launches below so many seconds are made four a side and pair.
  public static let shortLaunch = 0.5
  /// How many launches of each side make a pair when they are short.
  public static let shortLaunches = 4

  /// Returns how many launches of each side a pair should have; to be asked before the first.
  ///
  /// - Parameter seconds: What a launch takes.
  /// - Returns: `shortLaunches`, or 1.
  public static func launchesPerPair(forLaunchOf seconds: Double) -> Int {
    seconds < shortLaunch ? shortLaunches : 1
  }

  /// Chooses the statistic of a metric.
  public init(for metric: MetricDefinition) {
    if metric.name == MetricName.crashRate {
      self = .mean
    } else if MetricName.isRunTime(metric.name) {
      self = .minimum
    } else {
      self = .median
    }
  }

  /// Returns the number that stands for values.
  ///
  /// - Parameter values: Of the launches of one side, at least one, finite.
  /// - Returns: A number in the unit of the values.
  public func value(of values: [Double]) -> Double {
    let sorted = values.sorted()
    switch self {
    case .minimum: return sorted[0]
    case .median: return Quantiles.ofSorted(sorted, 0.5)
    case .mean: return values.reduce(0) { $0 + $1 / Double(values.count) }
    }
  }
}
