/// The charts of `perfkit chart`.
public enum ChartKind: String, CaseIterable, Sendable {
  /// Cost of each frame over time, against the refresh period.
  case frames
  /// The distribution of frame costs.
  case distribution
  /// Resident memory over time.
  case memory
  /// CPU use over time.
  case cpu
  /// Metrics with budgets by launch, with medians and intervals.
  case metrics
  /// Changes of metrics with their intervals.
  case comparison
  /// The effect of consecutive changes.
  case ladder
  /// A metric over the commits, with its changes.
  case history

  /// A description in one sentence.
  public var summary: String {
    switch self {
    case .frames: "Frame costs of the middle launch over time, with the refresh period."
    case .distribution: "Distribution and cumulative distribution of frame costs."
    case .memory: "Resident memory of all launches over time."
    case .cpu: "CPU use of all launches over time."
    case .metrics: "Metrics with budgets by launch, with medians and 95 % confidence intervals."
    case .comparison: "Changes of metrics with their intervals, zero and the margin."
    case .ladder: "Effects of consecutive changes, one run per state, as a waterfall."
    case .history: "A metric of a scenario over the commits, with its changes."
    }
  }
}
