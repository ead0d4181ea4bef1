/// The charts of `perfkit chart`.
public enum ChartKind: String, CaseIterable, Sendable {
  case frames, distribution, memory, cpu, metrics, comparison, ladder, history

  /// A description in one sentence.
  public var summary: String {
    switch self {
    case .frames: "Frame costs of the middle launch over time, with the refresh period."
    case .distribution: "Distribution and cumulative distribution of frame costs."
    case .memory: "Resident memory of up to 12 launches over time."
    case .cpu: "CPU use of up to 12 launches over time."
    case .metrics: "Metrics with budgets by launch, with medians and 95 % confidence intervals."
    case .comparison: "Changes of metrics with their intervals, zero and the margin."
    case .ladder: "Effects of consecutive changes, one run per state, as a waterfall."
    case .history: "A metric of a scenario over the commits, with its changes."
    }
  }
}
