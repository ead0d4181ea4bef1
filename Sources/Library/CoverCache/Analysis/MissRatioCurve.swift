/// The hit ratio of an LRU cache as a function of its capacity, computed in one pass over a trace.
///
/// The stack distance of a request is the total size of the distinct objects requested since the
/// last request for the same object, including that object. An LRU cache hits exactly when the
/// stack distance is within its capacity, so one pass answers for all capacities.
///
/// Source: R. L. Mattson and others, "Evaluation techniques for storage hierarchies", IBM Systems
/// Journal 9(2), 1970, doi:10.1147/sj.92.0078.
public struct MissRatioCurve: Equatable, Sendable {
  /// The stack distances of the repeated requests within the count limit, ascending, in the unit of
  /// the sizes.
  private let distances: [Int]

  /// Computes the curve of requested objects, in order.
  ///
  /// By default each object has the size 1, so that capacities are numbers of objects. With
  /// different sizes, e.g. in bytes, the curve is an approximation, because evicting a large object
  /// frees more than was needed.
  ///
  /// - Parameters:
  ///   - requests: The requested objects.
  ///   - countLimit: A limit on the number of objects that holds at every capacity.
  ///   - size: Returns the size of an object.
  /// - Complexity: O(*n* log *n*) time and O(*n*) memory for *n* requests.
  public init(_ requests: [Int], countLimit: Int = .max, size: (Int) -> Int = { _ in 1 }) {
    // Each object's size, and 1, at the time of its last request.
    var sums = PrefixSums(count: requests.count)
    var counts = PrefixSums(count: requests.count)
    var lastUse: [Int: Int] = [:]
    var distances: [Int] = []
    for (time, object) in requests.enumerated() {
      let bytes = size(object)
      if let last = lastUse[object] {
        if counts.sum(from: last, to: time) <= countLimit {
          distances.append(sums.sum(from: last, to: time))
        }
        sums.add(-bytes, at: last)
        counts.add(-1, at: last)
      }
      sums.add(bytes, at: time)
      counts.add(1, at: time)
      lastUse[object] = time
    }
    self.distances = distances.sorted()
  }

  /// Returns the number of requests that a cache of a capacity answers.
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
}

/// A Fenwick tree: an array of numbers with fast updates and range sums.
///
/// Source: P. M. Fenwick, "A new data structure for cumulative frequency tables", Software:
/// Practice and Experience 24(3), 1994, doi:10.1002/spe.4380240306.
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

  /// Returns the sum of the numbers in the half-open range from `start` to `end`.
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
