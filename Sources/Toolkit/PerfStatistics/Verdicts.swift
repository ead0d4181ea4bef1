public import PerfModel

/// The combination of several verdicts.
public enum Verdicts {
  /// Returns the combined verdict of the gating metrics of a scenario, or of the scenarios of a
  /// gate.
  ///
  /// The result is the first of void, regressed, inconclusive and improved that occurs, otherwise
  /// equivalent. Without any verdict the result is inconclusive, never a pass.
  ///
  /// - Parameters:
  ///   - verdicts: The verdicts of the parts.
  ///   - isVoid: Whether the whole is void for another reason, such as a control that moved.
  /// - Returns: The combined verdict.
  public static func together(
    _ verdicts: [ComparisonVerdict], isVoid: Bool = false
  ) -> ComparisonVerdict {
    if isVoid { return .void }
    guard !verdicts.isEmpty else { return .inconclusive }
    let order: [ComparisonVerdict] = [.void, .regressed, .inconclusive, .improved]
    return order.first(where: verdicts.contains) ?? .equivalent
  }

  /// Returns whether a control moved, which makes the measurement unreliable.
  ///
  /// - Parameter verdict: The verdict of the control's comparison.
  /// - Returns: Whether the verdict is *regressed* or *improved*.
  public static func hasMoved(control verdict: ComparisonVerdict) -> Bool {
    verdict == .regressed || verdict == .improved
  }
}
