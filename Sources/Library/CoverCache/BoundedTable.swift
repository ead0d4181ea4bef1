/// A dictionary that never holds more than its limits allow; the common part of every tier.
///
/// An entry that does not fit makes others leave before it is entered. One that could not fit into
/// an empty table is not entered at all.
package struct BoundedTable<Key: Hashable, Value>: ~Copyable {
  private let limits: TierLimits
  private var policy: any EvictionPolicy
  private var slots: [Key: Int] = [:]
  // By slot. The values stand alone so that a hit copies nothing else.
  private var values: [Value?] = []
  private var owners: [(key: Key, cost: Int)] = []
  private var free: [Int] = []
  /// What has happened to the table; its `memoryUsage` is the sum of all costs.
  package private(set) var metrics = CacheMetrics()

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - limits: Count and cost that are never exceeded.
  ///   - policy: A fresh one.
  package init(limits: TierLimits, policy: any EvictionPolicy) {
    self.limits = limits
    self.policy = policy
  }

  /// Returns the value of a key, counts a hit or a miss, and tells the policy.
  package mutating func value(for key: Key) -> Value? {
    guard let slot = slots[key] else {
      metrics.missCount += 1
      return nil
    }
    metrics.hitCount += 1
    policy.touched(slot)
    return values[slot]
  }

  /// Whether a key is held; counts and touches nothing.
  package func contains(_ key: Key) -> Bool { slots[key] != nil }

  /// Returns the keys whose values satisfy a condition, in no order.
  package func keys(where isIncluded: (Value) -> Bool) -> [Key] {
    slots.compactMap { key, slot in
      values[slot].flatMap { isIncluded($0) ? key : nil }
    }
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
    precondition(cost >= 0, "the cost of an object cannot be negative")
    if let old = remove(key) { removed.append(old) }
    guard cost <= limits.bytes, limits.count > 0 else { return false }
    while metrics.objectCount >= limits.count || metrics.memoryUsage > limits.bytes - cost {
      guard let old = removeVictim() else { break }
      removed.append(old)
      metrics.evictionCount += 1
    }
    let slot = free.popLast() ?? values.count
    if slot == values.count {
      values.append(value)
      owners.append((key, cost))
    } else {
      values[slot] = value
      owners[slot] = (key, cost)
    }
    slots[key] = slot
    metrics.objectCount += 1
    metrics.memoryUsage += cost
    policy.inserted(slot)
    return true
  }

  /// Removes a key and returns its value.
  package mutating func remove(_ key: Key) -> Value? {
    slots[key].flatMap { vacate($0) }
  }

  /// Removes a key whose value proved useless, and makes the hit that was counted for it a miss.
  package mutating func reject(_ key: Key) {
    _ = remove(key)
    metrics.hitCount -= 1
    metrics.missCount += 1
  }

  /// Removes entries in the policy's order until their cost is at most some bytes.
  package mutating func shrink(toBytes bytes: Int) -> [Value] {
    var removed: [Value] = []
    while metrics.memoryUsage > bytes, let value = removeVictim() {
      removed.append(value)
    }
    return removed
  }

  /// Removes everything.
  package mutating func removeAll() -> [Value] {
    var removed: [Value] = []
    while let value = removeVictim() { removed.append(value) }
    return removed
  }

  private mutating func removeVictim() -> Value? {
    policy.victim().flatMap { vacate($0) }
  }

  private mutating func vacate(_ slot: Int) -> Value? {
    guard let value = values[slot] else { return nil }
    values[slot] = nil
    slots[owners[slot].key] = nil
    free.append(slot)
    metrics.objectCount -= 1
    metrics.memoryUsage -= owners[slot].cost
    policy.removed(slot)
    return value
  }
}
