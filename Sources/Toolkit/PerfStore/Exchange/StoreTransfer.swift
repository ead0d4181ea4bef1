/// How many things went from one store to another.
public struct StoreTransfer: Hashable, Sendable {
  /// Runs that went.
  public var runs = 0
  /// Comparisons that went, or got further sessions.
  public var comparisons = 0
  /// Decisions that went.
  public var decisions = 0
  /// What was there already, with the same content.
  public var known = 0
  /// Runs that are being measured, or whose process died; they stay.
  public var unfinished: [String] = []
  /// Decisions that got another number, since theirs was taken: old and new.
  public var renumbered: [Int: Int] = [:]
}
