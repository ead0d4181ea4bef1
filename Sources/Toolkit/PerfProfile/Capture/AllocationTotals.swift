internal import CPerfFormat

/// The exact counts of a process's heap allocations.
public struct AllocationTotals: Hashable, Sendable {
  /// Calls that allocated memory; each realloc counts once, in place or not.
  public private(set) var count: UInt64 = 0
  /// The requested bytes.
  public private(set) var bytes: UInt64 = 0

  /// Adds the counters of a slot; sums saturate because a broken program may have written any
  /// value.
  mutating func add(_ slot: perfkit_allocation_totals) {
    count = count.addingClamped(slot.count)
    bytes = bytes.addingClamped(slot.bytes)
  }
}
