internal import Synchronization

/// A tier that keeps to its limits; the policy says which cover leaves.
///
/// A hit takes no allocation and one uncontended lock.
public final class BoundedTier: MemoryTier {
  private let table: Mutex<BoundedTable<String, PixelBuffer>>

  /// Makes an empty tier.
  ///
  /// - Parameters:
  ///   - limits: Count and bytes that are never exceeded.
  ///   - policy: A fresh one.
  package init(limits: TierLimits, policy: any EvictionPolicy & Sendable) {
    table = Mutex(BoundedTable(limits: limits, policy: policy))
  }

  /// Returns a cover and counts a hit, or nil and counts a miss.
  public func cover(for key: String) -> PixelBuffer? {
    table.withLock { $0.value(for: key) }
  }

  /// Whether a cover is held; counts nothing.
  public func contains(_ key: String) -> Bool {
    table.withLock { $0.contains(key) }
  }

  /// Holds a cover from now on, unless it alone is over the limits.
  public func insert(_ cover: PixelBuffer, for key: String) {
    var removed: [PixelBuffer] = []
    _ = table.withLock { table in
      table.insert(cover, for: key, cost: cover.byteCount, removed: &removed)
    }
  }

  /// Lets covers go in the policy's order until at most some bytes are held.
  public func shrink(toBytes bytes: Int) -> Int {
    let removed = table.withLock { $0.shrink(toBytes: bytes) }
    return removed.reduce(0) { $0 + $1.byteCount }
  }

  /// What the tier has done and holds.
  public var metrics: CacheMetrics { table.withLock { $0.metrics } }
}
