/// Evicts the least recently used entry.
///
/// Every call is O(1).
struct LRUPolicy: EvictionPolicy {
  private var order = SlotLists(1)

  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    order.append(slot, to: 0)
  }

  mutating func touched(_ slot: Int, times: Int) { order.move(slot, to: 0) }

  mutating func removed(_ slot: Int) { order.remove(slot) }

  mutating func evict(for newcomer: Newcomer?) -> Int? {
    guard let slot = order.oldest(of: 0) else { return nil }
    order.remove(slot)
    return slot
  }
}
