/// Greedy-Dual-Size-Frequency: evicts the entry with the fewest hits per byte.
///
/// The value of an entry is its uses divided by its cost, plus the value of the last evicted entry.
/// Large covers are evicted before small ones, and former favourites before recently used covers.
/// `evict`, `inserted`, `touched` and `removed` are O(log n).
///
/// Source: L. Cherkasova, "Improving WWW proxies performance with Greedy-Dual-Size-Frequency
/// caching policy", Hewlett-Packard Laboratories, HPL-98-69R1, 1998.
struct GDSFPolicy: EvictionPolicy {
  private struct Entry {
    /// One more than the cost, so that an entry without cost has a finite value.
    var weight: Double
    var uses: Double
  }

  private var heap = SlotHeap()
  private var entries: [Entry] = []
  /// The value of the last evicted entry.
  private var floor = 0.0

  /// Gives a new entry the value of one use.
  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    let entry = Entry(weight: Double(cost) + 1, uses: 1)
    if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
    heap.insert(slot, worth: worth(of: slot))
  }

  mutating func touched(_ slot: Int, times: Int) {
    entries[slot].uses += Double(times)
    heap.remove(slot)
    heap.insert(slot, worth: worth(of: slot))
  }

  mutating func removed(_ slot: Int) { heap.remove(slot) }

  /// Evicts the slot of the lowest value; among equals, the least recently used one.
  mutating func evict(for newcomer: Newcomer?) -> Int? {
    guard let lowest = heap.removeLowest() else { return nil }
    floor = lowest.worth
    return lowest.slot
  }

  private func worth(of slot: Int) -> Double { floor + entries[slot].uses / entries[slot].weight }
}
