/// Entries in numbered slots, found by their keys, within limits; what leaves is a policy's to say.
struct SlotTable<Key: CacheKey, Value>: ~Copyable {
  private struct Owner {
    let key: Key
    let hash: UInt64
    let cost: Int
    let bytes: Int
  }

  /// What is never exceeded; `bytes` is compared with costs.
  private(set) var limits: TierLimits
  private var index = KeyIndex()
  // By slot.
  private var values = Slab<Value>()
  private var owners = Slab<Owner>()
  private var free: [Int] = []
  private var cost = 0
  private var reservedCost = 0
  private var reservedCount = 0
  /// What has happened to the table and what it holds; look-ups are counted by who looks up.
  private(set) var metrics = CacheMetrics()

  init(limits: TierLimits) { self.limits = limits }

  /// The slot of a key; nil when it is not held.
  func slot(of key: Key) -> Int? {
    index.slot(hash: key.cacheHash) { owners.satisfies($0) { $0.key == key } }
  }

  /// The value in a slot that holds one.
  func value(at slot: Int) -> Value? { values[slot] }

  /// The keys whose values satisfy a condition, in no order.
  func keys(where isIncluded: (Value) -> Bool) -> [Key] {
    (0..<values.count).compactMap { slot in
      guard let owner = owners[slot], let value = values[slot], isIncluded(value) else {
        return nil
      }
      return owner.key
    }
  }

  /// The keys of all entries with what they really take, in no order.
  var sizes: [(key: Key, bytes: Int)] {
    (0..<owners.count).compactMap { slot in owners[slot].map { ($0.key, $0.bytes) } }
  }

  /// Makes room for an entry that is on its way, and keeps it free.
  ///
  /// - Returns: False when the entry is over a limit alone, or together with others on their way;
  ///   nothing was done then.
  mutating func reserve(
    cost: Int, bytes: Int, _ policy: inout any EvictionPolicy, removed: inout [Value]
  ) -> Bool {
    guard makeRoom(for: cost, &policy, removed: &removed) else {
      metrics.refusedCount += 1
      return false
    }
    reservedCost += cost
    reservedCount += 1
    metrics.reservedBytes += bytes
    return true
  }

  /// Gives back what `reserve` kept free.
  mutating func release(cost: Int, bytes: Int) {
    precondition(reservedCount > 0 && reservedCost >= cost, "more is given back than was kept free")
    reservedCost -= cost
    reservedCount -= 1
    metrics.reservedBytes -= bytes
  }

  /// Enters a value, in place of the key's earlier one; others leave first to make room.
  ///
  /// - Parameters:
  ///   - value: What to hold.
  ///   - key: Its key.
  ///   - cost: What it takes of the limit, not negative.
  ///   - bytes: What it really takes.
  ///   - policy: Who leaves.
  ///   - removed: Gets the values that left.
  /// - Returns: False when the value is over a limit alone, or together with what room is kept for;
  ///   it was not entered then.
  mutating func insert(
    _ value: Value, for key: Key, cost: Int, bytes: Int,
    _ policy: inout any EvictionPolicy, removed: inout [Value]
  ) -> Bool {
    precondition(cost >= 0 && bytes >= 0, "the cost of an object cannot be negative")
    if let old = remove(key, &policy) { removed.append(old) }
    guard makeRoom(for: cost, &policy, removed: &removed) else {
      metrics.refusedCount += 1
      return false
    }
    let slot = free.popLast() ?? values.count
    let owner = Owner(key: key, hash: key.cacheHash, cost: cost, bytes: bytes)
    if slot == values.count {
      values.append(value)
      owners.append(owner)
    } else {
      values[slot] = value
      owners[slot] = owner
    }
    index.insert(slot, hash: owner.hash)
    self.cost += cost
    metrics.objectCount += 1
    metrics.memoryUsage += bytes
    policy.inserted(slot, hash: owner.hash, cost: cost)
    return true
  }

  /// Removes a key and returns its value.
  mutating func remove(_ key: Key, _ policy: inout any EvictionPolicy) -> Value? {
    guard let slot = slot(of: key) else { return nil }
    policy.removed(slot)
    return vacate(slot)
  }

  /// Removes entries in the policy's order until they take at most some bytes.
  mutating func shrink(toBytes bytes: Int, _ policy: inout any EvictionPolicy) -> [Value] {
    var removed: [Value] = []
    while metrics.memoryUsage > bytes, let slot = policy.evict(for: 0) {
      if let value = vacate(slot) { removed.append(value) }
    }
    return removed
  }

  /// Removes everything; room that is kept for entries on their way stays theirs.
  mutating func removeAll(_ policy: inout any EvictionPolicy) -> [Value] {
    var removed: [Value] = []
    while let slot = policy.evict(for: 0) {
      if let value = vacate(slot) { removed.append(value) }
    }
    return removed
  }

  /// Changes the limits, and removes what is over the new ones.
  ///
  /// What is on its way under the old limits may still come; nothing else does until there is room.
  mutating func setLimits(_ limits: TierLimits, _ policy: inout any EvictionPolicy) -> [Value] {
    self.limits = limits
    var removed: [Value] = []
    while metrics.objectCount > max(0, limits.count - reservedCount)
      || cost > max(0, limits.bytes - reservedCost), let slot = policy.evict(for: 0)
    {
      if let value = vacate(slot) { removed.append(value) }
      metrics.evictionCount += 1
    }
    return removed
  }

  private mutating func makeRoom(
    for cost: Int, _ policy: inout any EvictionPolicy, removed: inout [Value]
  ) -> Bool {
    let room = limits.bytes - reservedCost
    guard cost <= room, limits.count > reservedCount else { return false }
    while metrics.objectCount >= limits.count - reservedCount || self.cost > room - cost {
      guard let slot = policy.evict(for: cost) else { return false }
      if let old = vacate(slot) { removed.append(old) }
      metrics.evictionCount += 1
    }
    return true
  }

  private mutating func vacate(_ slot: Int) -> Value? {
    guard let value = values[slot], let owner = owners[slot] else { return nil }
    values[slot] = nil
    owners[slot] = nil
    index.remove(slot, hash: owner.hash)
    free.append(slot)
    cost -= owner.cost
    metrics.objectCount -= 1
    metrics.memoryUsage -= owner.bytes
    return value
  }
}
