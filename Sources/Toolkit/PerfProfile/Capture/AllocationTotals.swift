internal import CPerfFormat

/// What a process has asked of the heap, counted call by call.
public struct AllocationTotals: Hashable, Sendable {
  /// Calls that gave memory; each realloc is one, in place or not.
  public private(set) var count: UInt64 = 0
  /// What they asked for.
  public private(set) var bytes: UInt64 = 0

  /// Creates totals of nothing.
  public init() {}

  /// A broken program may have written anything: sums saturate.
  mutating func add(_ slot: perfkit_allocation_totals) {
    count = count.addingClamped(slot.count)
    bytes = bytes.addingClamped(slot.bytes)
  }
}
