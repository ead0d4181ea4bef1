public import PerfModel

/// What came out of a claim.
public struct ClaimFinding: Hashable, Sendable {
  /// The verdict.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// What was measured, or computed, is within what the claim is held to.
    case reproduced
    /// It is not.
    case contradicted
    /// No machine without a screen can say anything.
    case notTestable
    /// There is no run, or it lacks the metric.
    case notMeasured
  }

  /// A number with what it measures.
  public struct Figure: Hashable, Sendable {
    /// The estimate with its interval, in base units.
    public let estimate: IntervalEstimate
    /// What it measures; nil for a plain number.
    public let dimension: Dimension?
    /// The launches that it is from; 0 for one that was computed.
    public let launches: Int
  }

  /// The verdict.
  public let outcome: Outcome
  /// Why, in a sentence; empty where the number says it.
  public let reason: String
  /// What was measured before the change, where there is such a thing.
  public var before: Figure?
  /// What was measured after it, or computed.
  public var after: Figure?
  /// What the claim is about, where that is a comparison of both.
  public var change: Figure?
  /// Whether the interval, widened by the drift between sessions, reaches over a limit.
  public var isClose = false
  /// The runs that it is from.
  public var runs: [String] = []

  /// What the claim is held against: the comparison, or one of the sides.
  public func figure(of subject: Assertion.Subject) -> Figure? {
    switch subject {
    case .before: before
    case .after: after
    case .less, .more, .reduction: change
    }
  }
}
