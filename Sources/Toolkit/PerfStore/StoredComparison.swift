public import PerfModel

/// Two sides that were measured in pairs.
public struct StoredComparison: Hashable, Sendable {
  /// The runs of both sides that one session of measuring made.
  public struct Leg: Hashable, Sendable {
    /// The id of the base's run.
    public let base: String
    /// The id of the candidate's run.
    public let candidate: String

    /// Creates a leg.
    public init(base: String, candidate: String) {
      self.base = base
      self.candidate = candidate
    }
  }

  /// Its id: a run's with `c` in front.
  public let id: String
  /// What is compared; one that was stopped goes on under the same text and the same design.
  public let subject: String
  /// When it was begun.
  public let started: Timestamp
  /// What was decided before the first pair.
  public var design: ComparisonDesign
  /// Its sessions in order.
  public let legs: [Leg]
  /// Whether all was decided, or everything spent that could be.
  public var isFinished: Bool

  /// Creates a comparison.
  public init(
    id: String, subject: String, started: Timestamp, design: ComparisonDesign, legs: [Leg] = [],
    isFinished: Bool = false
  ) {
    self.id = id
    self.subject = subject
    self.started = started
    self.design = design
    self.legs = legs
    self.isFinished = isFinished
  }
}
