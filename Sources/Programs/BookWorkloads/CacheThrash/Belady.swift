/// The cache that knows the future: what no policy can surpass.
///
/// A newcomer takes the place of the object whose next use is furthest away, and is not held at all
/// when its own is further away still.
///
/// Source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM
/// Systems Journal 5(2), 1966, doi:10.1147/sj.52.0078.
enum Belady {
  /// Counts the requests that such a cache answers.
  ///
  /// - Parameters:
  ///   - requests: The objects that are asked for, all of one size.
  ///   - capacity: How many of them are held at most.
  /// - Returns: From 0 to all but the first of each object.
  /// - Complexity: O(misses x `capacity`).
  static func hits(_ requests: [Int], capacity: Int) -> Int {
    guard capacity > 0 else { return 0 }
    let nextUse = nextUses(of: requests)
    var slots: [Int: Int] = [:]
    var held: [(object: Int, nextUse: Int)] = []
    var hits = 0
    for (time, object) in requests.enumerated() {
      if let slot = slots[object] {
        hits += 1
        held[slot].nextUse = nextUse[time]
      } else if held.count < capacity {
        slots[object] = held.count
        held.append((object, nextUse[time]))
      } else if let slot = held.indices.max(by: { held[$0].nextUse < held[$1].nextUse }),
        held[slot].nextUse > nextUse[time]
      {
        slots[held[slot].object] = nil
        slots[object] = slot
        held[slot] = (object, nextUse[time])
      }
    }
    return hits
  }

  /// For each request, when its object is asked for again; `Int.max` for never.
  private static func nextUses(of requests: [Int]) -> [Int] {
    var seen: [Int: Int] = [:]
    var next = Array(repeating: Int.max, count: requests.count)
    for time in requests.indices.reversed() {
      next[time] = seen[requests[time]] ?? .max
      seen[requests[time]] = time
    }
    return next
  }
}
