/// A rule that chooses the next entry to evict from a full table.
///
/// Entries are identified by slots: small integers that are reused after a removal. A policy
/// belongs to one table, which calls it under its lock. Queue shares are relative to the table's
/// content, because the table asks for an eviction only when it is full.
package protocol EvictionPolicy: Sendable {
  /// Records a new entry in a free slot.
  ///
  /// - Parameters:
  ///   - slot: From 0; either the next unused slot or a freed one.
  ///   - hash: A well-mixed hash of the key, for policies that remember evicted keys.
  ///   - cost: The entry's cost against the table's limit, not negative.
  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int)
  /// Records look-ups of an entry.
  ///
  /// A table may report several look-ups together before it changes. Each entry is then reported
  /// once, in the order of the last look-ups.
  ///
  /// - Parameters:
  ///   - slot: An occupied slot.
  ///   - times: The number of look-ups, at least one.
  mutating func touched(_ slot: Int, times: Int)
  /// Records that the caller has removed an entry.
  mutating func removed(_ slot: Int)
  /// Chooses the entry to evict and forgets it.
  ///
  /// - Parameter cost: The cost of the entry that needs room; 0 without one.
  /// - Returns: The slot, which is now free; nil when there is no entry.
  mutating func evict(for cost: Int) -> Int?
}
