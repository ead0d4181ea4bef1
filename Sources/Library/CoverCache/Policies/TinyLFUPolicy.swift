/// W-TinyLFU: a small window for new entries, and a main space that admits only more popular
/// entries.
///
/// The window is an LRU list with 1 % of the content. The main space is a segmented LRU list: an
/// entry that is used on probation becomes protected, up to 80 % of the space. An entry is admitted
/// if it was used more often than the entry that it would displace. Every call is O(1) except when
/// the sketch is halved.
///
/// Source: G. Einziger, R. Friedman, B. Manes, "TinyLFU: a highly efficient cache admission
/// policy", ACM Transactions on Storage 13(4), 2017, doi:10.1145/3149371; shares as in the Caffeine
/// library.
struct TinyLFUPolicy: EvictionPolicy {
  private struct Entry {
    var hash: UInt64
    var weight: Int
    var list: Int
  }

  private static let window = 0
  private static let probation = 1
  private static let protected = 2

  private var lists = SlotLists(3)
  private var weights = [0, 0, 0]
  private var entries: [Entry] = []
  private var count = 0
  private var sketch = FrequencySketch()

  /// Puts a new entry into the window; entries pushed out of the window go on probation.
  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    // One more than the cost, so that entries without cost are weighed by number.
    let entry = Entry(hash: hash, weight: cost + 1, list: Self.window)
    if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
    count += 1
    sketch.grow(toEntries: count)
    sketch.add(hash, times: 1, entries: count)
    enter(slot, Self.window)
    while weights[Self.window] > windowShare(with: 0), let oldest = lists.oldest(of: Self.window),
      oldest != slot
    {
      move(oldest, to: Self.probation)
    }
  }

  /// Counts uses, and protects an entry on probation.
  mutating func touched(_ slot: Int, times: Int) {
    sketch.add(entries[slot].hash, times: times, entries: count)
    guard entries[slot].list == Self.probation else {
      lists.move(slot, to: entries[slot].list)
      return
    }
    move(slot, to: Self.protected)
    let main = weights[Self.probation] + weights[Self.protected]
    while weights[Self.protected] * 5 > main * 4, let oldest = lists.oldest(of: Self.protected),
      oldest != slot
    {
      move(oldest, to: Self.probation)
    }
  }

  mutating func removed(_ slot: Int) {
    leave(slot)
    count -= 1
  }

  /// Evicts the less popular of the oldest window entry and the oldest main entry.
  ///
  /// If the window is not full, the main space evicts its oldest entry.
  mutating func evict(for cost: Int) -> Int? {
    let candidate = lists.oldest(of: Self.window)
    let resident = lists.oldest(of: Self.probation) ?? lists.oldest(of: Self.protected)
    guard let loser = resident ?? candidate else { return nil }
    guard let candidate, resident != nil, isWindowFull(for: cost) else {
      removed(loser)
      return loser
    }
    guard sketch.estimate(entries[candidate].hash) > sketch.estimate(entries[loser].hash) else {
      removed(candidate)
      return candidate
    }
    removed(loser)
    move(candidate, to: Self.probation)
    return loser
  }

  private func isWindowFull(for cost: Int) -> Bool {
    let newcomer = cost + 1
    return weights[Self.window] + newcomer > windowShare(with: newcomer)
  }

  /// Returns the weight limit of the window: 1 % of everything.
  private func windowShare(with newcomer: Int) -> Int { weights.reduce(newcomer, +) / 100 }

  private mutating func enter(_ slot: Int, _ list: Int) {
    entries[slot].list = list
    weights[list] += entries[slot].weight
    lists.append(slot, to: list)
  }

  private mutating func leave(_ slot: Int) {
    weights[entries[slot].list] -= entries[slot].weight
    lists.remove(slot)
  }

  private mutating func move(_ slot: Int, to list: Int) {
    leave(slot)
    enter(slot, list)
  }
}
