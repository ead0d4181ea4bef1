internal import HeapModule

/// Belady's optimal cache, which knows all future requests: no policy has more hits on a trace.
///
/// A new object replaces the object whose next use is furthest away. It is not cached at all if its
/// next use is even further away.
///
/// Source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM
/// Systems Journal 5(2), 1966, doi:10.1147/sj.52.0078.
public enum OptimalCache {
  /// Returns the number of requests for objects of one size that the optimal cache answers.
  ///
  /// - Complexity: O(*n* log *n*) time for *n* requests, O(*n*) memory.
  public static func hits(_ requests: [Int], capacity: Int) -> Int {
    guard capacity > 0 else { return 0 }
    let nextUse = nextUses(of: requests)
    var held: [Int: Int] = [:]
    // The maximum is the furthest next use. Entries that a later use has outdated are skipped.
    var furthest = Heap<NextUse>()
    var hits = 0
    for (time, object) in requests.enumerated() {
      if held[object] != nil {
        hits += 1
      } else if held.count >= capacity {
        while let top = furthest.max, held[top.object] != top.time { furthest.removeMax() }
        guard let top = furthest.max, top.time > nextUse[time] else { continue }
        furthest.removeMax()
        held[top.object] = nil
      }
      held[object] = nextUse[time]
      furthest.insert(NextUse(time: nextUse[time], object: object))
    }
    return hits
  }

  /// The next request for an object.
  private struct NextUse: Comparable {
    let time: Int
    let object: Int

    static func < (left: Self, right: Self) -> Bool { left.time < right.time }
  }

  /// Returns, for each request, the index of the next request for its object; `Int.max` for none.
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
