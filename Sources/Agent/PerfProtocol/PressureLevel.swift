/// How short memory is, relative to the memory budget of the scenario.
public enum PressureLevel: String, Sendable, CaseIterable, Codable, Comparable {
  /// Memory is not short.
  case normal
  /// The program should free memory that it can rebuild cheaply.
  case warning
  /// The program should free everything that it does not need now.
  case urgent
  /// A device would end the program soon.
  case critical

  /// Returns whether `left` is less severe than `right`.
  public static func < (left: Self, right: Self) -> Bool { left.severity < right.severity }

  private var severity: Int {
    switch self {
    case .normal: 0
    case .warning: 1
    case .urgent: 2
    case .critical: 3
    }
  }
}
