/// W-TinyLFU: a small window for new entries, and a main space that admits only more popular
/// entries.
///
/// The window is an LRU list with 1 % of the capacity. The main space is a segmented LRU list: an
/// entry that is used on probation becomes protected, up to 80 % of the space. When the table is
/// full, the oldest entry of the window enters the main space only if it was used more often than
/// the entry that it would displace. Counts are halved after ten uses per object that fits into the
/// table. Every call is O(1) except for the halving.
///
/// Source: G. Einziger, R. Friedman, B. Manes, "TinyLFU: a highly efficient cache admission
/// policy", ACM Transactions on Storage 13(4), 2017, doi:10.1145/3149371; sizes as in the Caffeine
/// library.
struct TinyLFUPolicy: EvictionPolicy {
  private struct Entry {
    var hash: UInt64
    var cost: Int
    var list: Int
  }

  private static let window = 0
  private static let probation = 1
  private static let protected = 2
  private static let usesPerObject = 10

  private var lists = SlotLists(3)
  private var totals = [EntryTotal(), EntryTotal(), EntryTotal()]
  private var entries: [Entry] = []
  private var capacity = TableCapacity()
  private var sketch = FrequencySketch()
  /// The newcomer whose use was counted before it was inserted.
  private var counted: UInt64?

  mutating func limited(to limits: TierLimits) { capacity.limits = limits }

  /// Puts a new entry into the window; entries pushed out of the window go on probation.
  mutating func inserted(_ slot: Int, hash: UInt64, cost: Int) {
    countNewcomer(hash)
    counted = nil
    let entry = Entry(hash: hash, cost: cost, list: Self.window)
    if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
    sketch.grow(toEntries: entries.count)
    enter(slot, Self.window)
    while size(of: Self.window) > windowCapacity, let oldest = lists.oldest(of: Self.window),
      oldest != slot
    {
      move(oldest, to: Self.probation)
    }
  }

  /// Counts uses, and protects an entry on probation.
  mutating func touched(_ slot: Int, times: Int) {
    count(entries[slot].hash, times: times)
    guard entries[slot].list == Self.probation else {
      lists.move(slot, to: entries[slot].list)
      return
    }
    move(slot, to: Self.protected)
    while size(of: Self.protected) > protectedCapacity,
      let oldest = lists.oldest(of: Self.protected), oldest != slot
    {
      move(oldest, to: Self.probation)
    }
  }

  mutating func removed(_ slot: Int) {
    totals[entries[slot].list].remove(cost: entries[slot].cost)
    lists.remove(slot)
  }

  /// Evicts the less popular of the oldest window entry and the oldest main entry.
  ///
  /// If the window is not full, the main space evicts its oldest entry. An admitted entry leaves the
  /// window when the newcomer enters it.
  mutating func evict(for newcomer: Newcomer?) -> Int? {
    if let hash = newcomer?.hash { countNewcomer(hash) }
    let candidate = lists.oldest(of: Self.window)
    let resident = lists.oldest(of: Self.probation) ?? lists.oldest(of: Self.protected)
    guard var loser = resident ?? candidate else { return nil }
    if let candidate, let resident, isWindowFull(for: newcomer),
      sketch.estimate(entries[candidate].hash) <= sketch.estimate(entries[resident].hash)
    {
      loser = candidate
    }
    removed(loser)
    return loser
  }

  /// Counts the use of a newcomer once, before it is compared or inserted.
  private mutating func countNewcomer(_ hash: UInt64) {
    guard counted != hash else { return }
    counted = hash
    count(hash, times: 1)
  }

  private mutating func count(_ hash: UInt64, times: Int) {
    sketch.add(hash, times: times)
    let (sampleSize, overflow) = capacity.objects(like: content)
      .multipliedReportingOverflow(by: Self.usesPerObject)
    sketch.age(sampleSize: overflow ? .max : sampleSize)
  }

  private var content: EntryTotal {
    totals[Self.window] + totals[Self.probation] + totals[Self.protected]
  }

  private func size(of list: Int) -> Int { capacity.size(of: totals[list], in: content) }

  private func isWindowFull(for newcomer: Newcomer?) -> Bool {
    var window = totals[Self.window]
    if let newcomer { window.add(cost: newcomer.cost) }
    return capacity.size(of: window, in: content) > windowCapacity
  }

  /// One hundredth of the capacity, rounded up.
  private var windowCapacity: Int {
    let all = capacity.size(for: content)
    return all / 100 + (all % 100).signum()
  }

  /// Four fifths of the main space, rounded down.
  private var protectedCapacity: Int {
    let main = capacity.size(for: content) - windowCapacity
    return main / 5 * 4 + main % 5 * 4 / 5
  }

  private mutating func enter(_ slot: Int, _ list: Int) {
    entries[slot].list = list
    totals[list].add(cost: entries[slot].cost)
    lists.append(slot, to: list)
  }

  private mutating func move(_ slot: Int, to list: Int) {
    removed(slot)
    enter(slot, list)
  }
}
