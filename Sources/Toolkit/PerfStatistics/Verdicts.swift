public import PerfModel

/// The combination of several verdicts.
public enum Verdicts {
  /// Returns the combined verdict of the gating metrics of a scenario, or of a gate's scenarios.
  ///
  /// The result is the first of void, regressed, inconclusive and improved that occurs, otherwise
  /// equivalent. Without any verdict the result is inconclusive, never a pass. `isVoid` is for
  /// another reason, such as a control that moved.
  public static func together(
    _ verdicts: [ComparisonVerdict], isVoid: Bool = false
  ) -> ComparisonVerdict {
    if isVoid { return .void }
    guard !verdicts.isEmpty else { return .inconclusive }
    let order: [ComparisonVerdict] = [.void, .regressed, .inconclusive, .improved]
    return order.first(where: verdicts.contains) ?? .equivalent
  }

  /// Returns whether a control *regressed* or *improved*, so that the measurement is unreliable.
  public static func hasMoved(control verdict: ComparisonVerdict) -> Bool {
    verdict == .regressed || verdict == .improved
  }
}
