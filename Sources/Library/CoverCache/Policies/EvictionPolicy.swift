/// A rule that chooses the next entry to evict from a full table.
///
/// Entries are identified by slots: small integers that are reused after a removal. A policy
/// belongs to one table, which calls it under its lock.
protocol EvictionPolicy: Sendable {
  /// Records the limits of the table, before the first entry and at each change.
  mutating func limited(to limits: TierLimits)
  /// Records a new entry in a free slot.
  ///
  /// The slot is the next unused one or a freed one. Policies remember evicted keys by their hash.
  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int)
  /// Records look-ups of an entry.
  ///
  /// A table may report several look-ups together before it changes. Each entry is then reported
  /// once, in the order of the last look-ups.
  mutating func touched(_ slot: Int, times: Int)
  /// Records that the caller has removed an entry.
  mutating func removed(_ slot: Int)
  /// Chooses the entry to evict, forgets it and returns its slot; nil when there is no entry.
  ///
  /// `newcomer` is the entry that needs room; nil when the table shrinks.
  mutating func evict(for newcomer: Newcomer?) -> Int?
}

extension EvictionPolicy {
  mutating func limited(to limits: TierLimits) {}
}

/// An entry that needs room in a table.
struct Newcomer {
  /// The hash of the key; nil when only the size of the entry is known.
  let hash: UInt64?
  let cost: Int
}
