/// The memory pressure of the device, in the four levels of the case study.
public enum MemoryPressure: String, CaseIterable, Sendable {
  /// Less than 50 % of the budget is used.
  case normal
  /// At least 50 % is used.
  case warning
  /// At least 70 % is used.
  case urgent
  /// At least 85 % is used.
  case critical

  /// Creates the level of a used share of the budget.
  ///
  /// The budget is the memory limit of the app, not the memory of the device.
  public init(useRatio: Double) {
    switch useRatio {
    case ..<0.5: self = .normal
    case ..<0.7: self = .warning
    case ..<0.85: self = .urgent
    default: self = .critical
    }
  }
}
