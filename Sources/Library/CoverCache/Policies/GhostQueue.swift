internal import DequeModule

/// The hashes of recently evicted keys, up to a limit, to recognise keys that return.
struct GhostQueue: Sendable {
  // The number of each hash's last eviction. Outdated entries stay in `order` until they are the
  // oldest or are most of it.
  private var departures: [UInt64: Int] = [:]
  private var order: Deque<(hash: UInt64, number: Int)> = []
  private var number = 0

  /// Adds a hash and drops the oldest ones until there are at most `limit`.
  ///
  /// - Complexity: amortised O(1).
  mutating func append(_ hash: UInt64, limit: Int) {
    number += 1
    departures[hash] = number
    order.append((hash, number))
    while departures.count > max(1, limit), let oldest = order.popFirst() {
      if departures[oldest.hash] == oldest.number { departures[oldest.hash] = nil }
    }
    if order.count > 2 * departures.count + 8 {
      let departures = departures
      order.removeAll { departures[$0.hash] != $0.number }
    }
  }

  /// Removes a hash and returns whether it was present.
  mutating func remove(_ hash: UInt64) -> Bool { departures.removeValue(forKey: hash) != nil }
}
