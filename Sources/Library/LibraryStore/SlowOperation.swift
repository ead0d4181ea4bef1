/// A query of a library that took longer than its threshold.
public struct SlowOperation: Hashable, Sendable {
  /// The kinds of timed queries.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The user entry of a work.
    case userEntry
    /// The best edition of a work.
    case primaryEdition

    /// The case study's duration above which a query is slow.
    var threshold: Duration { self == .userEntry ? .milliseconds(1) : .milliseconds(10) }
  }

  /// The kind of query.
  public let kind: Kind
  /// The row of the queried work.
  public let workID: Int64
  /// The duration of the query.
  public let duration: Duration
}
