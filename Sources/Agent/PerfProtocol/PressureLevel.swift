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

  private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
