/// A memory tier within limits, whose policy chooses the cover to evict.
///
/// A hit allocates nothing and takes a lock without contention.
public final class BoundedTier: MemoryTier {
  private let table: SharedTable<PixelBuffer>
  private let cost: CoverCost

  /// Creates an empty tier.
  ///
  /// - Parameters:
  ///   - limits: The count and bytes that are never exceeded.
  ///   - cost: The cost of a cover against the byte limit.
  ///   - policy: A policy without history.
  package init(limits: TierLimits, cost: CoverCost = .bytes, policy: any EvictionPolicy) {
    table = SharedTable(limits: limits, policy: policy)
    self.cost = cost
  }

  /// Returns a cover and counts a hit; returns nil and counts a miss if it is absent.
  public func cover(for key: String) -> PixelBuffer? { table.value(for: key) }

  /// Returns whether a cover is present, without counting.
  public func contains(_ key: String) -> Bool { table.contains(key) }

  /// Reserves room for a cover that will be decoded; returns false when it can never fit.
  public func reserve(_ size: PixelSize) -> Bool {
    let (isReserved, _) = table.update { entries, policy in
      var removed: [PixelBuffer] = []
      let isReserved = entries.reserve(
        cost: cost.cost(of: size), bytes: size.byteCount, &policy, removed: &removed)
      return (isReserved, removed)
    }
    return isReserved
  }

  /// Releases the room reserved for a cover.
  public func release(_ size: PixelSize) {
    table.update { entries, _ in
      entries.release(cost: cost.cost(of: size), bytes: size.byteCount)
    }
  }

  /// Inserts a cover, unless it alone exceeds the limits.
  @discardableResult
  public func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool {
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

  /// Removes a cover and returns whether it was present.
  @discardableResult
  public func remove(_ key: String) -> Bool {
    table.update { entries, policy in entries.remove(key, &policy) } != nil
  }

  /// Evicts covers in the policy's order until at most `bytes` are in use.
  public func shrink(toBytes bytes: Int) -> Int {
    table.update { entries, policy in entries.shrink(toBytes: bytes, &policy) }.byteCount
  }

  /// The covers in the tier, in no order.
  public var sizes: [(key: String, bytes: Int)] { table.update { entries, _ in entries.sizes } }

  /// The limits of the tier.
  public var limits: TierLimits { table.update { entries, _ in entries.limits } }

  /// Changes the limits and evicts the covers beyond them.
  public func setLimits(_ limits: TierLimits) -> Int {
    table.update { entries, policy in entries.setLimits(limits, &policy) }.byteCount
  }

  /// The counters and content size of the tier.
  public var metrics: CacheMetrics { table.metrics }
}

extension [PixelBuffer] {
  /// The bytes of all pictures.
  var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}
