/// Decides which entry of a full table leaves next.
///
/// Entries are slots: small integers that are used again after they were removed. A policy belongs
/// to one table, which calls it under its lock.
package protocol EvictionPolicy {
  /// Says that a slot, which was free, holds an entry now.
  mutating func inserted(_ slot: Int)
  /// Says that the entry of a slot was looked up.
  mutating func touched(_ slot: Int)
  /// Says that a slot is free now.
  mutating func removed(_ slot: Int)
  /// Returns the slot whose entry is to leave, without removing it; nil when there is no entry.
  mutating func victim() -> Int?
}
