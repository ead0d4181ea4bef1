/// A memory tier within limits, whose policy chooses the cover to evict.
///
/// A hit allocates nothing and takes a lock without contention.
final class BoundedTier: MemoryTier {
  private let table: SharedTable<PixelBuffer>
  private let cost: CoverCost

  init(limits: TierLimits, cost: CoverCost, policy: any EvictionPolicy) {
    table = SharedTable(limits: limits, policy: policy)
    self.cost = cost
  }

  func cover(for key: String) -> PixelBuffer? { table.value(for: key) }

  func contains(_ key: String) -> Bool { table.contains(key) }

  func reserve(_ size: PixelSize) -> Bool {
    let (isReserved, _) = table.update { entries, policy in
      var removed: [PixelBuffer] = []
      let isReserved = entries.reserve(
        cost: cost.cost(of: size), bytes: size.byteCount, &policy, removed: &removed)
      return (isReserved, removed)
    }
    return isReserved
  }

  func release(_ size: PixelSize) {
    table.update { entries, _ in
      entries.release(cost: cost.cost(of: size), bytes: size.byteCount)
    }
  }

  func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool {
    // Evicted covers are released here, outside the locks, because returning the pages of a picture
    // takes longer than the insertion.
    let (isHeld, _) = table.update { entries, policy in
      if let reserved {
        entries.release(cost: cost.cost(of: reserved), bytes: reserved.byteCount)
      }
      var removed: [PixelBuffer] = []
      let isHeld = entries.insert(
        cover, for: key, cost: cost.cost(of: cover.size), bytes: cover.byteCount, &policy,
        removed: &removed)
      return (isHeld, removed)
    }
    return isHeld
  }

  func remove(_ key: String) -> Bool {
    table.update { entries, policy in entries.remove(key, &policy) } != nil
  }

  func shrink(toBytes bytes: Int) -> Int {
    table.update { entries, policy in entries.shrink(toBytes: bytes, &policy) }.byteCount
  }

  var sizes: [(key: String, bytes: Int)] { table.update { entries, _ in entries.sizes } }

  var limits: TierLimits { table.update { entries, _ in entries.limits } }

  func setLimits(_ limits: TierLimits) -> Int {
    table.update { entries, policy in entries.setLimits(limits, &policy) }.byteCount
  }

  var metrics: CacheMetrics { table.metrics }
}

extension [PixelBuffer] {
  /// The bytes of all pictures.
  fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}
