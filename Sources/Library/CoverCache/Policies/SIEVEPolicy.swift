/// SIEVE: first in, first out, but an entry that was used since the hand last passed is kept once.
///
/// A hit sets a bit and moves nothing. Unused new entries leave soon, because the hand stays at the
/// last eviction instead of returning to the oldest entry. Every call is O(1), `evict` amortised.
///
/// Source: Y. Zhang and others, "SIEVE is simpler than LRU", NSDI 2024.
struct SIEVEPolicy: EvictionPolicy {
  private var order = SlotLists(1)
  private var isVisited: [Bool] = []
  /// The slot where the next search starts; nil for the oldest.
  private var hand: Int?

  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    if slot == isVisited.count { isVisited.append(false) } else { isVisited[slot] = false }
    order.append(slot, to: 0)
  }

  mutating func touched(_ slot: Int, times: Int) { isVisited[slot] = true }

  mutating func removed(_ slot: Int) {
    if hand == slot { hand = order.next(after: slot) }
    order.remove(slot)
  }

  mutating func evict(for newcomer: Newcomer?) -> Int? {
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
