/// A limit on a statistic of a metric.
public struct Budget: Hashable, Sendable, CustomStringConvertible {
  /// The statistic of the launches' values.
  public enum Statistic: Hashable, Sendable, CustomStringConvertible {
    case min
    case mean
    case max
    /// A percentile from 0 to 100, by quantile type 7.
    case percentile(Double)

    /// The notation of scenario files: `max`, `p95`.
    public var description: String {
      switch self {
      case .min: "min"
      case .mean: "mean"
      case .max: "max"
      case .percentile(let value): "p" + NumberFormat.significant(value, digits: 6)
      }
    }

    /// The number of launches from which the statistic differs from the extreme.
    ///
    /// One value in 100 / (100 - p) is above percentile p: p95 of fewer than 20 values is nearly
    /// their maximum. The median, the mean and the extremes need one launch.
    public var launchesNeeded: Int {
      guard case .percentile(let percent) = self, percent > 0, percent < 100, percent != 50
      else { return 1 }
      // 100 - 99.9 is slightly less than 0.1: the slack keeps 1000 from becoming 1001.
      let slack = 1 - 1e-9
      return Int((100 / Swift.min(percent, 100 - percent) * slack).rounded(.up))
    }

    /// The extreme that replaces a percentile of too few launches: `min` or `max`.
    public var extreme: Budget.Statistic {
      if case .percentile(let percent) = self, percent < 50 { .min } else { .max }
    }
  }

  /// The allowed side of the limit.
  public enum Comparison: String, Hashable, Sendable {
    case atMost = "<="
    case atLeast = ">="
    case equal = "=="
  }

  /// The metric's name.
  public let metric: String
  /// The statistic; the median by default.
  public let statistic: Statistic
  /// The allowed side of the limit.
  public let comparison: Comparison
  /// The limit, in the unit of the scenario file.
  public let limit: Quantity

  /// Creates a budget.
  public init(
    metric: String, statistic: Statistic = .percentile(50), comparison: Comparison, limit: Quantity
  ) {
    self.metric = metric
    self.statistic = statistic
    self.comparison = comparison
    self.limit = limit
  }

  /// Whether the budget limits counted work, which timed launches do not have.
  public var isOfWork: Bool { MetricName.work.contains(metric) }

  /// The notation of scenario files.
  public var description: String {
    let subject = statistic == .percentile(50) ? metric : "\(statistic)(\(metric))"
    return "\(subject) \(comparison.rawValue) \(limit)"
  }
}

/// The verdict on a budget.
public enum BudgetVerdict: String, Sendable, Codable {
  case held
  case broken
  case unknown
}

/// A budget with its measured value.
public struct BudgetResult: Hashable, Sendable {
  /// The budget.
  public let budget: Budget
  /// The statistic's value in the base unit; nil if the metric is missing.
  public let value: Double?
  /// The interval that decided, in the base unit.
  public let interval: ClosedRange<Double>?
  /// The verdict.
  public let verdict: BudgetVerdict
  /// The reason of an unknown verdict, or another remark; may be empty.
  public let note: String

  /// Creates a result.
  public init(
    budget: Budget, value: Double?, interval: ClosedRange<Double>?, verdict: BudgetVerdict,
    note: String = ""
  ) {
    self.budget = budget
    self.value = value
    self.interval = interval
    self.verdict = verdict
    self.note = note
  }
}
