/// The numbers of items that were transferred between two stores.
public struct StoreTransfer: Hashable, Sendable {
  /// Transferred runs.
  public var runs = 0
  /// Transferred comparisons, and comparisons that received further sessions.
  public var comparisons = 0
  /// Transferred decisions.
  public var decisions = 0
  /// Transferred baselines.
  public var baselines = 0
  /// Known runs that received bulky parts, such as a profile.
  public var completed = 0
  /// Items that the target contained before, with the same content.
  public var known = 0
  /// Ids of unfinished runs, which are not transferred.
  public var unfinished: [String] = []
  /// Decisions that received another number because theirs was used: old and new numbers.
  public var renumbered: [Int: Int] = [:]
}
