/// S3-FIFO: a small queue for new entries, a main queue, and a ghost queue of evicted keys.
///
/// The small queue has a tenth of the content. Its entries that are not used twice are evicted, and
/// their hashes go to the ghost queue. A key found there enters the main queue directly. The ghost
/// queue has as many hashes as objects fit into the main queue. Every call is O(1), `evict`
/// amortised.
///
/// Source: J. Yang and others, "FIFO queues are all you need for cache eviction", SOSP 2023,
/// doi:10.1145/3600006.3613147, algorithm 1. Like the simulator of the authors, the policy evicts
/// one entry per call: an entry that enters a full main queue displaces another at the next call.
struct S3FIFOPolicy: EvictionPolicy {
  private struct Entry {
    var hash: UInt64
    var cost: Int
    var queue: Int
    /// Uses since the entry entered its queue, at most 3.
    var uses: Int
  }

  private static let small = 0
  private static let main = 1
  private static let mostUses = 3

  private var queues = SlotLists(2)
  private var entries: [Entry] = []
  private var totals = [EntryTotal(), EntryTotal()]
  private var capacity = TableCapacity()
  private var ghosts = GhostQueue()

  mutating func limited(to limits: TierLimits) { capacity.limits = limits }

  /// Puts a new entry into the small queue, or into the main queue if it was evicted recently.
  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    let queue = ghosts.remove(hash) ? Self.main : Self.small
    let entry = Entry(hash: hash, cost: cost, queue: queue, uses: 0)
    if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
    enter(slot)
  }

  mutating func touched(_ slot: Int, times: Int) {
    entries[slot].uses = min(Self.mostUses, entries[slot].uses + min(Self.mostUses, times))
  }

  /// Removes a slot from its queue without adding it to the ghost queue.
  mutating func removed(_ slot: Int) {
    queues.remove(slot)
    totals[entries[slot].queue].remove(cost: entries[slot].cost)
  }

  /// Evicts the oldest rarely used slot of the queue that exceeds its share.
  mutating func evict(for newcomer: Newcomer?) -> Int? {
    let content = totals[Self.small] + totals[Self.main]
    let small = capacity.size(of: totals[Self.small], in: content)
    // The comparison of the paper, without a product that could overflow.
    let isSmallDue = small >= (capacity.size(of: content, in: content) + 9) / 10
    return (isSmallDue ? evictSmall() : nil) ?? evictMain() ?? evictSmall()
  }

  /// Moves slots that were used twice to the main queue until it evicts one.
  private mutating func evictSmall() -> Int? {
    while let slot = queues.oldest(of: Self.small) {
      removed(slot)
      guard entries[slot].uses > 1 else {
        ghosts.append(entries[slot].hash, limit: ghostLimit)
        return slot
      }
      entries[slot].queue = Self.main
      entries[slot].uses = 0
      enter(slot)
    }
    return nil
  }

  private mutating func evictMain() -> Int? {
    while let slot = queues.oldest(of: Self.main) {
      guard entries[slot].uses > 0 else {
        removed(slot)
        return slot
      }
      entries[slot].uses -= 1
      queues.move(slot, to: Self.main)
    }
    return nil
  }

  /// Nine tenths of the objects that fit into the table, or of the most that it ever had.
  private var ghostLimit: Int {
    let content = totals[Self.small] + totals[Self.main]
    return min(capacity.objects(like: content), entries.count) * 9 / 10
  }

  private mutating func enter(_ slot: Int) {
    queues.append(slot, to: entries[slot].queue)
    totals[entries[slot].queue].add(cost: entries[slot].cost)
  }
}
