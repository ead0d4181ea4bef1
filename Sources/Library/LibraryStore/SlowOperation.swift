/// A question to a library that took longer than it should.
public struct SlowOperation: Hashable, Sendable {
  /// The kinds of questions that are timed.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The reader's notes about a work.
    case userEntry
    /// The best edition of a work.
    case primaryEdition
  }

  /// Which question it was.
  public let kind: Kind
  /// The row of the work that it was about.
  public let workID: Int64
  /// How long it took.
  public let duration: Duration
}
