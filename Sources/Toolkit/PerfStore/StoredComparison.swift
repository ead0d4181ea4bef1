public import PerfModel

/// A stored comparison of two sides, measured in pairs.
public struct StoredComparison: Hashable, Sendable {
  /// The runs of both sides in one session.
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

  /// The id: `c` followed by the id of a run.
  public let id: String
  /// The compared sides; a stopped comparison continues under the same subject and design.
  public let subject: String
  /// The start of the comparison.
  public let started: Timestamp
  /// The choices made before the first pair.
  public var design: ComparisonDesign
  /// The sessions in order.
  public let legs: [Leg]
  /// Whether everything was decided, or the limit of pairs was reached.
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
