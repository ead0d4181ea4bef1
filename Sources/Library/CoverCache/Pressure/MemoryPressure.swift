/// How short of memory the device is, in the four levels of the case study.
public enum MemoryPressure: String, CaseIterable, Sendable {
  /// Under 50 % of the device's budget is used.
  case normal
  /// From 50 %.
  case warning
  /// From 70 %.
  case urgent
  /// From 85 %.
  case critical

  /// Makes the level of a part of the budget that is used.
  ///
  /// The budget is what the system lets the app have, not the memory of the device: an app is killed
  /// long before that is used up.
  public init(useRatio: Double) {
    switch useRatio {
    case ..<0.5: self = .normal
    case ..<0.7: self = .warning
    case ..<0.85: self = .urgent
    default: self = .critical
    }
  }
}
