/// What an LRU cache of any capacity would have missed, computed in one pass over what was asked for.
///
/// The stack distance of a request is what was asked for since the last request for the same object,
/// that object included, each once. An LRU cache finds an object exactly when its stack distance is
/// within the capacity; so all capacities are answered at once.
///
/// Source: R. L. Mattson and others, "Evaluation techniques for storage hierarchies", IBM Systems
/// Journal 9(2), 1970, doi:10.1147/sj.92.0078.
public struct MissRatioCurve: Equatable, Sendable {
  /// The stack distances of the requests for what was asked for before, ascending, in the unit of the
  /// sizes.
  private let distances: [Int]
  /// How many requests there were.
  public let requestCount: Int

  /// Computes the curve.
  ///
  /// - Parameters:
  ///   - requests: The objects that were asked for, in order.
  ///   - size: What an object takes, as bytes; 1 by default, so that capacities are of objects. With
  ///     sizes that differ the curve is an approximation: evicting a large object makes more room than
  ///     was needed.
  /// - Complexity: O(*n* log *n*) time and O(*n*) memory for *n* requests.
  public init(_ requests: [Int], size: (Int) -> Int = { _ in 1 }) {
    // Of each object its size, at the time of its last request.
    var sums = PrefixSums(count: requests.count)
    var lastUse: [Int: Int] = [:]
    var distances: [Int] = []
    for (time, object) in requests.enumerated() {
      let bytes = size(object)
      if let last = lastUse[object] {
        distances.append(sums.sum(from: last, to: time))
        sums.add(-bytes, at: last)
      }
      sums.add(bytes, at: time)
      lastUse[object] = time
    }
    self.distances = distances.sorted()
    requestCount = requests.count
  }

  /// Returns the part of the requests that a cache of a capacity answers, from 0 to 1.
  public func hitRatio(capacity: Int) -> Double {
    requestCount > 0 ? Double(hits(capacity: capacity)) / Double(requestCount) : 0
  }

  /// Returns how many requests a cache of a capacity answers.
  ///
  /// - Complexity: O(log *n*).
  public func hits(capacity: Int) -> Int {
    var low = 0
    var high = distances.count
    while low < high {
      let middle = (low + high) / 2
      if distances[middle] <= capacity { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Finds the smallest capacity that answers a part of what can be answered at all.
  ///
  /// - Parameter part: From 0 to 1; 1 is all but the first request for each object.
  /// - Returns: A capacity in the unit of the sizes.
  public func capacity(answering part: Double) -> Int {
    let wanted = Int((Double(distances.count) * min(1, max(0, part))).rounded(.up))
    return wanted > 0 ? distances[wanted - 1] : 0
  }
}

/// Numbers that change, and their sums: a Fenwick tree.
///
/// Source: P. M. Fenwick, "A new data structure for cumulative frequency tables", Software: Practice
/// and Experience 24(3), 1994, doi:10.1002/spe.4380240306.
private struct PrefixSums {
  private var tree: [Int]

  init(count: Int) { tree = Array(repeating: 0, count: count + 1) }

  mutating func add(_ value: Int, at index: Int) {
    var node = index + 1
    while node < tree.count {
      tree[node] += value
      node += node & -node
    }
  }

  /// The sum of the numbers from one index to before another.
  func sum(from start: Int, to end: Int) -> Int { prefix(end) - prefix(start) }

  private func prefix(_ end: Int) -> Int {
    var node = end
    var sum = 0
    while node > 0 {
      sum += tree[node]
      node -= node & -node
    }
    return sum
  }
}
