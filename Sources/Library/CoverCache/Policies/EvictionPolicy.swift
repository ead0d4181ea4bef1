/// Decides which entry of a full table leaves next.
///
/// Entries are slots: small integers that are used again after they were removed. A policy belongs
/// to one table, which calls it under its lock. Shares of a policy's queues are shares of what is
/// held: a policy is asked for a victim only when the table is full.
package protocol EvictionPolicy: Sendable {
  /// Says that a slot, which was free, holds an entry now.
  ///
  /// - Parameters:
  ///   - slot: From 0; the next that was never used, or one that is free again.
  ///   - hash: Of the key, well mixed, for policies that remember keys which have left.
  ///   - cost: What the entry takes of the table's limit, not negative.
  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int)
  /// Says that the entry of a slot was looked up.
  ///
  /// A table may tell of several look-ups at once, before it changes: then of each entry once, in the
  /// order in which they were last looked up.
  ///
  /// - Parameters:
  ///   - slot: That holds an entry.
  ///   - times: How often, at least once.
  mutating func touched(_ slot: Int, times: Int)
  /// Says that the caller has taken an entry out.
  mutating func removed(_ slot: Int)
  /// Chooses the entry that leaves and forgets it.
  ///
  /// - Parameter cost: Of the entry that needs the room; 0 when there is none.
  /// - Returns: Its slot, which is free now; nil when there is no entry.
  mutating func evict(for cost: Int) -> Int?
}
