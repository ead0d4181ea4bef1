/// Several doubly linked lists of slots, from oldest to newest, stored in two arrays.
///
/// A slot is in one list at most. Every call is O(1). Only a slot with a new highest number
/// allocates.
struct SlotLists {
  private let count: Int
  // The first elements are the anchors of the rings; slot s is element s + count. An anchor's
  // `older` is its newest slot, its `newer` the oldest one.
  private var older: [Int32]
  private var newer: [Int32]

  /// Creates empty lists, numbered from 0.
  init(_ count: Int) {
    self.count = count
    older = (0..<Int32(count)).map { $0 }
    newer = older
  }

  /// Appends a slot, which is in no list, as the newest of a list.
  mutating func append(_ slot: Int, to list: Int) {
    while older.count <= slot + count {
      older.append(0)
      newer.append(0)
    }
    let element = slot + count
    let newest = older[list]
    older[element] = newest
    newer[element] = Int32(list)
    newer[Int(newest)] = Int32(element)
    older[list] = Int32(element)
  }

  /// Removes a slot from its list.
  mutating func remove(_ slot: Int) {
    let before = older[slot + count]
    let after = newer[slot + count]
    newer[Int(before)] = after
    older[Int(after)] = before
  }

  /// Moves a slot from any list to the newest place of a list.
  mutating func move(_ slot: Int, to list: Int) {
    guard older[list] != Int32(slot + count) else { return }
    remove(slot)
    append(slot, to: list)
  }

  /// Returns the oldest slot of a list; nil when it is empty.
  func oldest(of list: Int) -> Int? { slot(newer[list]) }

  /// Returns the next newer slot of the same list; nil for the newest.
  func next(after slot: Int) -> Int? { self.slot(newer[slot + count]) }

  private func slot(_ element: Int32) -> Int? {
    element < count ? nil : Int(element) - count
  }
}
