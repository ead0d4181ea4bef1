/// A priority queue of slots, the lowest value first, from which any slot can be removed.
///
/// Among equal values the first inserted slot is lowest. Every call is O(log n). Only inserting a
/// slot with a new highest number allocates.
struct SlotHeap {
  private struct Rank: Comparable {
    let worth: Double
    let number: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.worth, left.number) < (right.worth, right.number)
    }
  }

  /// A binary heap: the parent of place p is (p - 1) / 2.
  private var slots: [Int] = []
  private var ranks: [Rank] = []
  /// The place in the heap of each slot.
  private var places: [Int] = []
  private var number = 0

  /// Inserts an absent slot.
  mutating func insert(_ slot: Int, worth: Double) {
    while places.count <= slot { places.append(-1) }
    slots.append(slot)
    ranks.append(Rank(worth: worth, number: number))
    number += 1
    rise(from: slots.count - 1)
  }

  /// Removes a present slot.
  mutating func remove(_ slot: Int) {
    let place = places[slot]
    let last = slots.count - 1
    swapAt(place, last)
    slots.removeLast()
    ranks.removeLast()
    guard place < last else { return }
    rise(from: place)
    sink(from: place)
  }

  /// Removes the slot of the lowest value; nil when the heap is empty.
  mutating func removeLowest() -> (slot: Int, worth: Double)? {
    guard let slot = slots.first else { return nil }
    let worth = ranks[0].worth
    remove(slot)
    return (slot, worth)
  }

  private mutating func rise(from start: Int) {
    var place = start
    while place > 0, ranks[place] < ranks[(place - 1) / 2] {
      swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
    places[slots[place]] = place
  }

  private mutating func sink(from start: Int) {
    var place = start
    while true {
      var lowest = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < ranks.count && ranks[child] < ranks[lowest] {
        lowest = child
      }
      guard lowest != place else { return }
      swapAt(place, lowest)
      place = lowest
    }
  }

  private mutating func swapAt(_ one: Int, _ other: Int) {
    slots.swapAt(one, other)
    ranks.swapAt(one, other)
    places[slots[one]] = one
    places[slots[other]] = other
  }
}
