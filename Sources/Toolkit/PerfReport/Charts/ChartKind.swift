/// The charts that `perfkit chart` draws.
public enum ChartKind: String, CaseIterable, Sendable {
  /// Cost of each frame over time, against the refresh period.
  case frames
  /// How often frames cost how much.
  case distribution
  /// Resident memory over time.
  case memory
  /// CPU use over time.
  case cpu
  /// Metrics with budgets by launch, with their medians and intervals.
  case metrics
  /// Changes of metrics with their intervals.
  case comparison
  /// What each of several changes brought, one after the other.
  case ladder
  /// A metric over the commits, with its changes.
  case history

  /// What it shows, in one sentence.
  public var summary: String {
    switch self {
    case .frames: "Cost of each frame of the middle launch over time, against the refresh period."
    case .distribution: "How often frames cost how much, and up to which cost how many do."
    case .memory: "Resident memory of all launches over time."
    case .cpu: "CPU use of all launches over time."
    case .metrics: "Metrics with budgets by launch, with medians and 95 % intervals."
    case .comparison: "Changes of metrics with their intervals, against zero and the margin."
    case .ladder: "What each of several runs changed after the one before, as a waterfall."
    case .history: "A metric of a scenario over the commits, with the places where it changed."
    }
  }
}
