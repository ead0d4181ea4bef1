internal import HeapModule

/// The cache that knows the future: what no policy can surpass on a trace.
///
/// A newcomer takes the place of the object whose next use is furthest away, and is not held at all
/// when its own is further away still.
///
/// Source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM
/// Systems Journal 5(2), 1966, doi:10.1147/sj.52.0078.
public enum OptimalCache {
  /// Counts the requests that such a cache answers.
  ///
  /// - Parameters:
  ///   - requests: The objects that are asked for, all of one size.
  ///   - capacity: How many of them are held at most.
  /// - Returns: From 0 to all but the first of each object.
  /// - Complexity: O(*n* log *n*) time for *n* requests, O(*n*) memory.
  public static func hits(_ requests: [Int], capacity: Int) -> Int {
    guard capacity > 0 else { return 0 }
    let nextUse = nextUses(of: requests)
    var held: [Int: Int] = [:]
    // The furthest next use is the greatest; those that were overtaken by a use are skipped.
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

  /// When an object is asked for again.
  private struct NextUse: Comparable {
    let time: Int
    let object: Int

    static func < (left: Self, right: Self) -> Bool { left.time < right.time }
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
