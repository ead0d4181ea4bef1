/// Evicts the least recently used entry.
///
/// Every call is O(1).
package struct LRUPolicy: EvictionPolicy {
  private var order = SlotLists(1)

  /// Creates the policy of an empty table.
  package init() {}

  /// Makes a slot the most recent one.
  package mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    order.append(slot, to: 0)
  }

  /// Makes a slot the most recent one.
  package mutating func touched(_ slot: Int, times: Int) { order.move(slot, to: 0) }

  /// Removes a slot from the order.
  package mutating func removed(_ slot: Int) { order.remove(slot) }

  /// Evicts the least recently used slot.
  package mutating func evict(for cost: Int) -> Int? {
    guard let slot = order.oldest(of: 0) else { return nil }
    order.remove(slot)
    return slot
  }
}
