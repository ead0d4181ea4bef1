/// How short memory is, by the harness's device budget.
public enum PressureLevel: String, Sendable, CaseIterable, Codable, Comparable {
  case normal
  case warning
  case urgent
  case critical

  /// Whether one level is less severe than another.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .normal: 0
    case .warning: 1
    case .urgent: 2
    case .critical: 3
    }
  }
}

/// Takes the level and the used fraction of the budget; 1 is all of it, and it can be more.
public typealias PressureHandler = @Sendable (_ level: PressureLevel, _ fraction: Double) -> Void
