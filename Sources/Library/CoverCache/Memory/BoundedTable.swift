/// A dictionary within limits: the common part of the tiers that need only one lock.
///
/// A new entry evicts others before it is inserted. An entry that would not fit into an empty table
/// is not inserted.
package struct BoundedTable<Key: CacheKey, Value>: ~Copyable {
  private var entries: SlotTable<Key, Value>
  private var policy: any EvictionPolicy
  private var hitCount = 0
  private var missCount = 0

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - limits: The count and cost that are never exceeded.
  ///   - policy: A policy without history.
  package init(limits: TierLimits, policy: any EvictionPolicy) {
    entries = SlotTable(limits: limits)
    self.policy = policy
  }

  /// The counters and content size; `memoryUsage` is the sum of all costs.
  package var metrics: CacheMetrics {
    var metrics = entries.metrics
    metrics.hitCount = hitCount
    metrics.missCount = missCount
    return metrics
  }

  /// Returns the value of a key, counts a hit or a miss, and reports the use to the policy.
  package mutating func value(for key: Key) -> Value? {
    guard let slot = entries.slot(of: key) else {
      missCount += 1
      return nil
    }
    hitCount += 1
    policy.touched(slot, times: 1)
    return entries.value(at: slot)
  }

  /// Returns whether a key is present, without counting or reporting a use.
  package func contains(_ key: Key) -> Bool { entries.slot(of: key) != nil }

  /// Returns the keys whose values satisfy a condition, in no order.
  package func keys(where isIncluded: (Value) -> Bool) -> [Key] {
    entries.keys(where: isIncluded)
  }

  /// Inserts a value in place of the key's earlier one.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: Its key.
  ///   - cost: In bytes, not negative.
  ///   - removed: Receives the evicted values. The caller releases them after it has left its lock,
  ///     because returning the pages of a picture takes longer than the insertion.
  /// - Returns: False when the value alone exceeds a limit and was not inserted.
  package mutating func insert(
    _ value: Value, for key: Key, cost: Int, removed: inout [Value]
  ) -> Bool {
    entries.insert(
      value, for: key, cost: cost, bytes: cost, &policy, removed: &removed)
  }

  /// Removes a key and returns its value.
  package mutating func remove(_ key: Key) -> Value? { entries.remove(key, &policy) }

  /// Removes a key whose value proved useless, and turns its counted hit into a miss.
  package mutating func reject(_ key: Key) {
    _ = remove(key)
    hitCount -= 1
    missCount += 1
  }

  /// Evicts entries in the policy's order until their cost is at most `bytes`.
  package mutating func shrink(toBytes bytes: Int) -> [Value] {
    entries.shrink(toBytes: bytes, &policy)
  }

  /// Removes all entries.
  package mutating func removeAll() -> [Value] { entries.removeAll(&policy) }
}
