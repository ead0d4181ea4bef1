/// A table of entries in numbered slots, found by key, within limits; a policy chooses evictions.
struct SlotTable<Value>: ~Copyable {
  private struct Owner {
    let key: String
    let hash: UInt64
    let cost: Int
    let bytes: Int
  }

  /// The limits that are never exceeded; `bytes` limits the sum of the costs.
  private(set) var limits: TierLimits
  private var index = KeyIndex()
  // Both are indexed by slot.
  private var values = Slab<Value>()
  private var owners = Slab<Owner>()
  private var free: [Int] = []
  private var cost = 0
  private var reservedCost = 0
  private var reservedCount = 0
  /// The counters and content size; the caller counts look-ups.
  private(set) var metrics = CacheMetrics()

  init(limits: TierLimits) { self.limits = limits }

  /// Returns the slot of a key; nil when it is absent.
  func slot(of key: String) -> Int? {
    index.slot(hash: key.cacheHash) { owners.satisfies($0) { $0.key == key } }
  }

  /// Returns the value in an occupied slot.
  func value(at slot: Int) -> Value? { values[slot] }

  /// Returns the keys whose values satisfy a condition, in no order.
  func keys(where isIncluded: (Value) -> Bool) -> [String] {
    (0..<values.count).compactMap { slot in
      values[slot].map(isIncluded) == true ? owners[slot]?.key : nil
    }
  }

  /// The keys of all entries with their real sizes in bytes, in no order.
  var sizes: [(key: String, bytes: Int)] {
    (0..<owners.count).compactMap { slot in owners[slot].map { ($0.key, $0.bytes) } }
  }

  /// Reserves room for an entry that will follow.
  ///
  /// - Returns: False when the entry exceeds a limit alone or together with other reservations.
  ///   Nothing changes then.
  mutating func reserve(
    cost: Int, bytes: Int, _ policy: inout any EvictionPolicy, removed: inout [Value]
  ) -> Bool {
    guard makeRoom(for: Newcomer(hash: nil, cost: cost), &policy, removed: &removed) else {
      metrics.refusedCount += 1
      return false
    }
    reservedCost += cost
    reservedCount += 1
    metrics.reservedBytes += bytes
    return true
  }

  /// Releases reserved room.
  mutating func release(cost: Int, bytes: Int) {
    precondition(reservedCount > 0 && reservedCost >= cost, "released more room than was reserved")
    reservedCost -= cost
    reservedCount -= 1
    metrics.reservedBytes -= bytes
  }

  /// Inserts a value in place of the key's earlier one and evicts others first to make room.
  ///
  /// `cost` counts against the limit, `bytes` is the real size.
  ///
  /// - Returns: False when the value exceeds a limit alone or together with the reservations. It is
  ///   not inserted then, and the key's earlier value is removed all the same.
  mutating func insert(
    _ value: Value, for key: String, cost: Int, bytes: Int,
    _ policy: inout any EvictionPolicy, removed: inout [Value]
  ) -> Bool {
    precondition(cost >= 0 && bytes >= 0, "the cost of an object cannot be negative")
    if let old = remove(key, &policy) { removed.append(old) }
    let hash = key.cacheHash
    guard makeRoom(for: Newcomer(hash: hash, cost: cost), &policy, removed: &removed) else {
      metrics.refusedCount += 1
      return false
    }
    let slot = free.popLast() ?? values.count
    let owner = Owner(key: key, hash: hash, cost: cost, bytes: bytes)
    if slot == values.count {
      values.append(value)
      owners.append(owner)
    } else {
      values[slot] = value
      owners[slot] = owner
    }
    index.insert(slot, hash: hash)
    self.cost += cost
    metrics.objectCount += 1
    metrics.memoryUsage += bytes
    policy.inserted(slot, hash: hash, cost: cost)
    return true
  }

  /// Removes a key and returns its value.
  mutating func remove(_ key: String, _ policy: inout any EvictionPolicy) -> Value? {
    guard let slot = slot(of: key) else { return nil }
    policy.removed(slot)
    return vacate(slot)
  }

  /// Evicts entries in the policy's order until they take at most `bytes`; below 0 all entries.
  mutating func shrink(toBytes bytes: Int, _ policy: inout any EvictionPolicy) -> [Value] {
    var removed: [Value] = []
    while metrics.memoryUsage > bytes, let slot = policy.evict(for: nil) {
      if let value = vacate(slot) { removed.append(value) }
    }
    return removed
  }

  /// Changes the limits and evicts the entries beyond them.
  ///
  /// Reservations under the old limits stay valid; new ones must wait for room.
  mutating func setLimits(_ limits: TierLimits, _ policy: inout any EvictionPolicy) -> [Value] {
    self.limits = limits
    policy.limited(to: limits)
    var removed: [Value] = []
    while metrics.objectCount > max(0, limits.count - reservedCount)
      || cost > max(0, limits.bytes - reservedCost), let slot = policy.evict(for: nil)
    {
      if let value = vacate(slot) { removed.append(value) }
      metrics.evictionCount += 1
    }
    return removed
  }

  private mutating func makeRoom(
    for newcomer: Newcomer, _ policy: inout any EvictionPolicy, removed: inout [Value]
  ) -> Bool {
    let room = limits.bytes - reservedCost
    guard newcomer.cost <= room, limits.count > reservedCount else { return false }
    while metrics.objectCount >= limits.count - reservedCount || cost > room - newcomer.cost {
      guard let slot = policy.evict(for: newcomer) else { return false }
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
