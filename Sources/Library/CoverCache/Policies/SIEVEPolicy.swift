/// First in, first out, but who was asked for since the hand came by stays once more.
///
/// A hit sets a bit and moves nothing. Newcomers that nobody asks for again leave soon, since the
/// hand stands where the last one left and not at the oldest. Every call is O(1), `evict` amortised.
///
/// Source: Y. Zhang and others, "SIEVE is simpler than LRU", NSDI 2024.
package struct SIEVEPolicy: EvictionPolicy {
  private var order = SlotLists(1)
  private var isVisited: [Bool] = []
  /// Where the search for a victim goes on; nil for the oldest.
  private var hand: Int?

  /// Makes a policy of an empty table.
  package init() {}

  /// Makes a slot the newest one.
  package mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    if slot == isVisited.count { isVisited.append(false) } else { isVisited[slot] = false }
    order.append(slot, to: 0)
  }

  /// Keeps a slot from leaving the next time that the hand comes by.
  package mutating func touched(_ slot: Int, times: Int) { isVisited[slot] = true }

  /// Takes a slot out of the order.
  package mutating func removed(_ slot: Int) {
    if hand == slot { hand = order.next(after: slot) }
    order.remove(slot)
  }

  /// Lets go of the next slot that was not asked for since the hand last came by.
  package mutating func evict(for cost: Int) -> Int? {
    guard var slot = hand ?? order.oldest(of: 0) else { return nil }
    while isVisited[slot] {
      isVisited[slot] = false
      slot = order.next(after: slot) ?? order.oldest(of: 0) ?? slot
    }
    hand = slot
    removed(slot)
    return slot
  }
}
