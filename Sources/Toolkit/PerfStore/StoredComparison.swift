public import PerfModel

/// A stored comparison of two sides, measured in pairs.
public struct StoredComparison: Hashable, Sendable, Codable {
  /// The runs of both sides in one session.
  public struct Leg: Hashable, Sendable, Codable {
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

extension StoredComparison {
  /// The ids of the runs of all sessions, in order.
  public var runs: [String] { legs.flatMap { [$0.base, $0.candidate] } }

  /// Returns whether the comparison has runs, all of them in a set.
  public func isWithin(_ runs: Set<String>) -> Bool {
    !legs.isEmpty && self.runs.allSatisfy(runs.contains)
  }

  /// The relation between two states of one comparison.
  public enum Relation: Sendable {
    case same
    /// It has all sessions of the other one and further ones, or is finished.
    case later
    case earlier
    /// The states belong to different measurements.
    case unrelated
  }

  /// Returns the relation to another state of the comparison.
  ///
  /// Each store may have further sessions, or have lost sessions whose runs were removed.
  public func relation(to other: StoredComparison) -> Relation {
    guard id == other.id, subject == other.subject, started == other.started else {
      return .unrelated
    }
    if legs == other.legs {
      if isFinished == other.isFinished { return .same }
      return isFinished ? .later : .earlier
    }
    if legs.count > other.legs.count, other.legs.isContained(in: legs) { return .later }
    return legs.isContained(in: other.legs) ? .earlier : .unrelated
  }
}

extension [StoredComparison.Leg] {
  /// Returns whether other legs contain these legs in the same order.
  func isContained(in other: [StoredComparison.Leg]) -> Bool {
    var rest = other[...]
    return allSatisfy { leg in
      guard let place = rest.firstIndex(of: leg) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
  }
}
