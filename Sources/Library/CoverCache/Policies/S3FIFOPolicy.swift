/// S3-FIFO: a small queue for new entries, a main queue, and a ghost queue of evicted keys.
///
/// An entry that is not used twice is evicted from the small queue, which holds a tenth of the
/// content. Its hash goes to the ghost queue, and a key found there enters the main queue directly.
/// Every call is O(1), `evict` amortised.
///
/// Source: J. Yang and others, "FIFO queues are all you need for cache eviction", SOSP 2023,
/// doi:10.1145/3600006.3613147, algorithm 1.
struct S3FIFOPolicy: EvictionPolicy {
  private struct Entry {
    var hash: UInt64
    var weight: Int
    var isSmall: Bool
    /// Uses since the entry entered its queue, at most 3.
    var uses: Int
  }

  private static let small = 0
  private static let main = 1
  private static let mostUses = 3

  private var queues = SlotLists(2)
  private var entries: [Entry] = []
  private var weights = [0, 0]
  private var mainCount = 0
  private var ghosts = GhostQueue()

  /// Puts a new entry into the small queue, or into the main queue if it was evicted recently.
  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    let isKnown = ghosts.remove(hash)
    // One more than the cost, so that entries without cost are weighed by number.
    let entry = Entry(hash: hash, weight: cost + 1, isSmall: !isKnown, uses: 0)
    if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
    enter(slot)
  }

  mutating func touched(_ slot: Int, times: Int) {
    entries[slot].uses = min(Self.mostUses, entries[slot].uses + min(Self.mostUses, times))
  }

  /// Removes a slot from its queue without adding it to the ghost queue.
  mutating func removed(_ slot: Int) {
    queues.remove(slot)
    weights[entries[slot].isSmall ? Self.small : Self.main] -= entries[slot].weight
    if !entries[slot].isSmall { mainCount -= 1 }
  }

  /// Evicts the oldest rarely used slot of the queue that exceeds its share.
  mutating func evict(for cost: Int) -> Int? {
    while true {
      let isSmallDue = weights[Self.small] * 10 >= weights[Self.small] + weights[Self.main]
      if isSmallDue, let slot = queues.oldest(of: Self.small) {
        let isProved = entries[slot].uses > 1
        removed(slot)
        guard isProved else {
          // The ghost queue has as many entries as the main queue.
          ghosts.append(entries[slot].hash, limit: mainCount)
          return slot
        }
        entries[slot].isSmall = false
        entries[slot].uses = 0
        enter(slot)
      } else if let slot = queues.oldest(of: Self.main) {
        guard entries[slot].uses > 0 else {
          removed(slot)
          return slot
        }
        entries[slot].uses -= 1
        queues.move(slot, to: Self.main)
      } else {
        return nil
      }
    }
  }

  private mutating func enter(_ slot: Int) {
    let isSmall = entries[slot].isSmall
    queues.append(slot, to: isSmall ? Self.small : Self.main)
    weights[isSmall ? Self.small : Self.main] += entries[slot].weight
    if !isSmall { mainCount += 1 }
  }
}
