/// A dictionary within limits that evicts the least recently used entry, for use under one lock.
///
/// A new entry evicts others before it is inserted. An entry that would not fit into an empty table
/// is not inserted.
package struct BoundedTable<Value>: ~Copyable {
  private var entries: SlotTable<Value>
  private var policy: any EvictionPolicy = LRUPolicy()
  private var hitCount = 0
  private var missCount = 0

  package init(limits: TierLimits) { entries = SlotTable(limits: limits) }

  /// The counters and content size; `memoryUsage` is the sum of all costs.
  package var metrics: CacheMetrics {
    var metrics = entries.metrics
    metrics.hitCount = hitCount
    metrics.missCount = missCount
    return metrics
  }

  /// Returns the value of a key, counts a hit or a miss, and reports the use to the policy.
  package mutating func value(for key: String) -> Value? {
    guard let slot = entries.slot(of: key) else {
      missCount += 1
      return nil
    }
    hitCount += 1
    policy.touched(slot, times: 1)
    return entries.value(at: slot)
  }

  /// Returns whether a key is present, without counting or reporting a use.
  package func contains(_ key: String) -> Bool { entries.slot(of: key) != nil }

  /// Returns the value of a key without counting or reporting a use.
  package func peek(_ key: String) -> Value? {
    entries.slot(of: key).flatMap { entries.value(at: $0) }
  }

  /// Returns the keys whose values satisfy a condition, in no order.
  package func keys(where isIncluded: (Value) -> Bool) -> [String] {
    entries.keys(where: isIncluded)
  }

  /// Reserves room for a value that will follow, or returns false when it alone exceeds a limit.
  package mutating func reserve(cost: Int, removed: inout [Value]) -> Bool {
    entries.reserve(cost: cost, bytes: cost, &policy, removed: &removed)
  }

  /// Releases reserved room.
  package mutating func release(cost: Int) { entries.release(cost: cost, bytes: cost) }

  /// Inserts a value with a cost in bytes in place of the key's earlier one.
  ///
  /// The caller releases the `removed` values after it has left its lock, because returning the
  /// pages of a picture takes longer than the insertion.
  ///
  /// - Returns: False when the value alone exceeds a limit and was not inserted. The key's earlier
  ///   value is removed all the same.
  package mutating func insert(
    _ value: Value, for key: String, cost: Int, removed: inout [Value]
  ) -> Bool {
    entries.insert(value, for: key, cost: cost, bytes: cost, &policy, removed: &removed)
  }

  package mutating func remove(_ key: String) -> Value? { entries.remove(key, &policy) }

  /// Removes a key whose value proved useless, and turns its counted hit into a miss.
  package mutating func reject(_ key: String) {
    _ = remove(key)
    hitCount -= 1
    missCount += 1
  }

  /// Removes all entries.
  package mutating func removeAll() -> [Value] { entries.shrink(toBytes: -1, &policy) }
}
