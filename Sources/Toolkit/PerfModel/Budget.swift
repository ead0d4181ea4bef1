/// A limit on a statistic of a metric.
public struct Budget: Hashable, Sendable, CustomStringConvertible {
  /// What is taken of the iterations' values.
  public enum Statistic: Hashable, Sendable, CustomStringConvertible {
    case min
    case mean
    case max
    /// A percentile from 0 to 100, by quantile type 7.
    case percentile(Double)

    /// As it is written: `max`, `p95`.
    public var description: String {
      switch self {
      case .min: "min"
      case .mean: "mean"
      case .max: "max"
      case .percentile(let value): "p" + NumberFormat.significant(value, digits: 6)
      }
    }
  }

  /// On which side of the limit the value must be.
  public enum Comparison: String, Hashable, Sendable {
    case atMost = "<="
    case atLeast = ">="
    case equal = "=="
  }

  /// The metric's name.
  public let metric: String
  /// The statistic; the median when the file names none.
  public let statistic: Statistic
  /// The side.
  public let comparison: Comparison
  /// The limit, in the unit in which it was written.
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

  /// As it is written in a scenario file.
  public var description: String {
    let subject = statistic == .percentile(50) ? metric : "\(statistic)(\(metric))"
    return "\(subject) \(comparison.rawValue) \(limit)"
  }
}

/// What can be said of a budget.
public enum BudgetVerdict: String, Sendable, Codable {
  case held
  case broken
  case unknown
}

/// A budget with what was measured.
public struct BudgetResult: Hashable, Sendable {
  /// The budget.
  public let budget: Budget
  /// The statistic's value in the base unit; nil when the metric is missing.
  public let value: Double?
  /// The interval that decided, in the base unit.
  public let interval: ClosedRange<Double>?
  /// What follows.
  public let verdict: BudgetVerdict
  /// Why it is unknown, or how it was decided when that needs saying; may be empty.
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

extension Budget.Statistic {
  /// The least number of iterations from which the statistic says more than the extreme does.
  ///
  /// One value in 100 / (100 - p) lies above percentile p: p95 of fewer than 20 values is hardly
  /// anything but their largest. The median, the mean and the extremes can always be taken.
  public var iterationsNeeded: Int {
    guard case .percentile(let percent) = self, percent > 0, percent < 100 else { return 1 }
    guard percent != 50 else { return 1 }
    // 100 - 99.9 is a little less than 0.1: the slack keeps 1000 from becoming 1001.
    let slack = 1 - 1e-9
    return Int((100 / Swift.min(percent, 100 - percent) * slack).rounded(.up))
  }

  /// The extreme to use instead of a percentile of too few iterations: `min` or `max`.
  public var extreme: Budget.Statistic {
    if case .percentile(let percent) = self, percent < 50 { return .min }
    return .max
  }
}
