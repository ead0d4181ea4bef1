/// Greedy-Dual-Size-Frequency: who brings the fewest hits for its bytes leaves first.
///
/// An entry is worth its uses by its cost, on top of what the last one that left was worth: large
/// covers leave before small ones, and favourites that nobody asks for any more before those that were
/// asked for lately. `evict`, `inserted`, `touched` and `removed` are O(log n).
///
/// Source: L. Cherkasova, "Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching
/// policy", Hewlett-Packard Laboratories, HPL-98-69R1, 1998.
package struct GDSFPolicy: EvictionPolicy {
  private struct Entry {
    /// One more than it costs, so that what costs nothing has a worth.
    var weight: Double
    var uses: Double
  }

  private var heap = SlotHeap()
  private var entries: [Entry] = []
  /// What the last one that left was worth.
  private var floor = 0.0

  /// Makes a policy of an empty table.
  package init() {}

  /// Gives a newcomer the worth of one use.
  package mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    let entry = Entry(weight: Double(cost) + 1, uses: 1)
    if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
    heap.insert(slot, worth: worth(of: slot))
  }

  /// Counts uses, and lifts an entry above what has left since its last one.
  package mutating func touched(_ slot: Int, times: Int) {
    entries[slot].uses += Double(times)
    heap.remove(slot)
    heap.insert(slot, worth: worth(of: slot))
  }

  /// Takes a slot out of the order.
  package mutating func removed(_ slot: Int) { heap.remove(slot) }

  /// Lets go of the slot that is worth least; among equals, of the one that was not used for the
  /// longest time.
  package mutating func evict(for cost: Int) -> Int? {
    guard let lowest = heap.removeLowest() else { return nil }
    floor = lowest.worth
    return lowest.slot
  }

  private func worth(of slot: Int) -> Double { floor + entries[slot].uses / entries[slot].weight }
}
