/// Least recently used leaves first: a doubly linked list that is laid over two arrays.
///
/// Every call is O(1) and allocates nothing but when a slot beyond all earlier ones is used.
package struct LRUPolicy: EvictionPolicy {
  // Element 0 is the anchor of the ring; slot s is element s + 1.
  private var older: [Int32] = [0]
  private var newer: [Int32] = [0]

  /// Makes a policy of an empty table.
  package init() {}

  /// Makes a slot the most recent one.
  package mutating func inserted(_ slot: Int) {
    while older.count <= slot + 1 {
      older.append(0)
      newer.append(0)
    }
    link(Int32(slot + 1))
  }

  /// Makes a slot the most recent one.
  package mutating func touched(_ slot: Int) {
    let element = Int32(slot + 1)
    guard older[0] != element else { return }
    unlink(element)
    link(element)
  }

  /// Takes a slot out of the order.
  package mutating func removed(_ slot: Int) {
    unlink(Int32(slot + 1))
  }

  /// Returns the slot that was not used for the longest time.
  package mutating func victim() -> Int? {
    newer[0] == 0 ? nil : Int(newer[0]) - 1
  }

  // The anchor's `older` is the most recent slot, its `newer` the least recent one.
  private mutating func link(_ element: Int32) {
    let recent = older[0]
    older[Int(element)] = recent
    newer[Int(element)] = 0
    newer[Int(recent)] = element
    older[0] = element
  }

  private mutating func unlink(_ element: Int32) {
    let before = older[Int(element)]
    let after = newer[Int(element)]
    newer[Int(before)] = after
    older[Int(after)] = before
  }
}
