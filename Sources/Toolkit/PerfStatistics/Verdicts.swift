public import PerfModel

/// What follows of several verdicts together.
public enum Verdicts {
  /// Returns the verdict of a scenario from those of its gating metrics, or of a gate from those of its
  /// scenarios.
  ///
  /// Void if any is; else regressed if any is; else inconclusive if any is; else improved if any is;
  /// else equivalent. Nothing to judge by is inconclusive, never a pass.
  ///
  /// - Parameters:
  ///   - verdicts: Of the parts.
  ///   - isVoid: Whether the whole is void for a reason of its own, as a control that moved.
  /// - Returns: One verdict.
  public static func together(
    _ verdicts: [ComparisonVerdict], isVoid: Bool = false
  ) -> ComparisonVerdict {
    if isVoid { return .void }
    guard !verdicts.isEmpty else { return .inconclusive }
    let order: [ComparisonVerdict] = [.void, .regressed, .inconclusive, .improved]
    return order.first(where: verdicts.contains) ?? .equivalent
  }

  /// Returns whether a control moved: what the change cannot reach is told to have changed all the
  /// same, so the measurement cannot be trusted.
  ///
  /// - Parameter verdict: Of the control's own comparison.
  /// - Returns: Whether it is *regressed* or *improved*.
  public static func hasMoved(control verdict: ComparisonVerdict) -> Bool {
    verdict == .regressed || verdict == .improved
  }
}
