internal import DequeModule

/// The hashes of keys that have left, the last so many of them; says who comes back.
struct GhostQueue: Sendable {
  // Of each hash, the number of its last departure. Departures that a later one or a return made
  // void stay in the queue until they are the oldest.
  private var departures: [UInt64: Int] = [:]
  private var order: Deque<(hash: UInt64, number: Int)> = []
  private var number = 0

  /// Remembers a hash, and forgets the oldest ones until there are at most `limit`.
  mutating func append(_ hash: UInt64, limit: Int) {
    number += 1
    departures[hash] = number
    order.append((hash, number))
    while departures.count > max(1, limit) || order.count > 2 * max(1, limit),
      let oldest = order.popFirst()
    {
      if departures[oldest.hash] == oldest.number { departures[oldest.hash] = nil }
    }
  }

  /// Forgets a hash, and says whether it was remembered.
  mutating func remove(_ hash: UInt64) -> Bool { departures.removeValue(forKey: hash) != nil }
}
