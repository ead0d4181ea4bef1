/// A dictionary that never holds more than its limits allow; the common part of the tiers that one
/// lock is enough for.
///
/// An entry that does not fit makes others leave before it is entered. One that could not fit into
/// an empty table is not entered at all.
package struct BoundedTable<Key: CacheKey, Value>: ~Copyable {
  private var entries: SlotTable<Key, Value>
  private var policy: any EvictionPolicy
  private var hitCount = 0
  private var missCount = 0

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - limits: Count and cost that are never exceeded.
  ///   - policy: A fresh one.
  package init(limits: TierLimits, policy: any EvictionPolicy) {
    entries = SlotTable(limits: limits)
    self.policy = policy
  }

  /// What has happened to the table; its `memoryUsage` is the sum of all costs.
  package var metrics: CacheMetrics {
    var metrics = entries.metrics
    metrics.hitCount = hitCount
    metrics.missCount = missCount
    return metrics
  }

  /// Returns the value of a key, counts a hit or a miss, and tells the policy.
  package mutating func value(for key: Key) -> Value? {
    guard let slot = entries.slot(of: key) else {
      missCount += 1
      return nil
    }
    hitCount += 1
    policy.touched(slot, times: 1)
    return entries.value(at: slot)
  }

  /// Whether a key is held; counts and touches nothing.
  package func contains(_ key: Key) -> Bool { entries.slot(of: key) != nil }

  /// Returns the keys whose values satisfy a condition, in no order.
  package func keys(where isIncluded: (Value) -> Bool) -> [Key] {
    entries.keys(where: isIncluded)
  }

  /// Enters a value, in place of the key's earlier one.
  ///
  /// - Parameters:
  ///   - value: What to hold.
  ///   - key: Its key.
  ///   - cost: In bytes, not negative.
  ///   - removed: Gets the values that had to leave, so that the caller can let go of them after it
  ///     has left its lock: giving back the pages of a picture takes longer than all of this.
  /// - Returns: False when the value alone is over a limit; it was not entered then.
  package mutating func insert(
    _ value: Value, for key: Key, cost: Int, removed: inout [Value]
  ) -> Bool {
    entries.insert(
      value, for: key, cost: cost, bytes: cost, &policy, removed: &removed)
  }

  /// Removes a key and returns its value.
  package mutating func remove(_ key: Key) -> Value? { entries.remove(key, &policy) }

  /// Removes a key whose value proved useless, and makes the hit that was counted for it a miss.
  package mutating func reject(_ key: Key) {
    _ = remove(key)
    hitCount -= 1
    missCount += 1
  }

  /// Removes entries in the policy's order until their cost is at most some bytes.
  package mutating func shrink(toBytes bytes: Int) -> [Value] {
    entries.shrink(toBytes: bytes, &policy)
  }

  /// Removes everything.
  package mutating func removeAll() -> [Value] { entries.removeAll(&policy) }
}
