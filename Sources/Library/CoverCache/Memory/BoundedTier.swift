/// A tier that keeps to its limits; the policy says which cover leaves.
///
/// A hit takes no allocation and a lock that no other thread wants.
public final class BoundedTier: MemoryTier {
  private let table: SharedTable<PixelBuffer>
  private let cost: CoverCost

  /// Makes an empty tier.
  ///
  /// - Parameters:
  ///   - limits: Count and bytes that are never exceeded.
  ///   - cost: What a cover counts for against the limit of bytes.
  ///   - policy: A fresh one.
  package init(limits: TierLimits, cost: CoverCost = .bytes, policy: any EvictionPolicy) {
    table = SharedTable(limits: limits, policy: policy)
    self.cost = cost
  }

  /// Returns a cover and counts a hit, or nil and counts a miss.
  public func cover(for key: String) -> PixelBuffer? { table.value(for: key) }

  /// Whether a cover is held; counts nothing.
  public func contains(_ key: String) -> Bool { table.contains(key) }

  /// Makes room for a cover that is about to be decoded; false when it can never fit.
  public func reserve(_ size: PixelSize) -> Bool {
    let (isReserved, _) = table.update { entries, policy in
      var removed: [PixelBuffer] = []
      let isReserved = entries.reserve(
        cost: cost.cost(of: size), bytes: size.byteCount, &policy, removed: &removed)
      return (isReserved, removed)
    }
    return isReserved
  }

  /// Gives back the room that was made for a cover.
  public func release(_ size: PixelSize) {
    table.update { entries, _ in
      entries.release(cost: cost.cost(of: size), bytes: size.byteCount)
    }
  }

  /// Holds a cover from now on, unless it alone is over the limits.
  @discardableResult
  public func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool {
    // What leaves is let go of here, after the locks: giving back the pages of a picture takes longer
    // than all of this.
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

  /// Lets a cover go, and returns whether it was held.
  @discardableResult
  public func remove(_ key: String) -> Bool {
    table.update { entries, policy in entries.remove(key, &policy) } != nil
  }

  /// Lets covers go in the policy's order until at most some bytes are held.
  public func shrink(toBytes bytes: Int) -> Int {
    table.update { entries, policy in entries.shrink(toBytes: bytes, &policy) }.byteCount
  }

  /// What is held, in no order.
  public var sizes: [(key: String, bytes: Int)] { table.update { entries, _ in entries.sizes } }

  /// What the tier keeps to.
  public var limits: TierLimits { table.update { entries, _ in entries.limits } }

  /// Changes the limits, and lets go of what is over them.
  public func setLimits(_ limits: TierLimits) -> Int {
    table.update { entries, policy in entries.setLimits(limits, &policy) }.byteCount
  }

  /// What the tier has done and holds.
  public var metrics: CacheMetrics { table.metrics }
}

extension [PixelBuffer] {
  /// The bytes of all pictures.
  var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}
