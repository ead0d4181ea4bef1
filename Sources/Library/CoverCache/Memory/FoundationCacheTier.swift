internal import Foundation
internal import Synchronization

/// Foundation's `NSCache` as a tier, for comparison: the case studies used it.
///
/// On Linux it is not an LRU cache. It evicts the object with the lowest cost, whenever that was
/// last used, and among objects of one cost the newest: at its object limit it turns away every new
/// object. It exceeds its limits during an insertion.
public final class FoundationCacheTier: MemoryTier {
  /// Collects the evictions, which the cache reports only to its delegate.
  private final class Listener: NSObject, NSCacheDelegate, Sendable {
    let evicted = Mutex<[PixelBuffer]>([])

    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
      guard let cover = object as? PixelBuffer else { return }
      evicted.withLock { $0.append(cover) }
    }
  }

  // Safety: NSCache may be called on any thread.
  private nonisolated(unsafe) let cache = NSCache<NSString, PixelBuffer>()
  private let cost: CoverCost
  private let listener = Listener()
  private let hits = Atomic<Int>(0)
  private let misses = Atomic<Int>(0)
  /// The content size and limits.
  ///
  /// The lock is held during every change of the cache.
  private let held: Mutex<(limits: TierLimits, metrics: CacheMetrics)>

  /// Creates an empty tier.
  ///
  /// - Parameters:
  ///   - limits: The limits of the cache; for `NSCache` a limit of 0 means none.
  ///   - cost: The cost of a cover against the byte limit.
  public init(limits: TierLimits, cost: CoverCost = .bytes) {
    self.cost = cost
    held = Mutex((limits, CacheMetrics()))
    apply(limits)
    cache.delegate = listener
  }

  /// Returns a cover and counts a hit; returns nil and counts a miss if it is absent.
  public func cover(for key: String) -> PixelBuffer? {
    let cover = cache.object(forKey: NSString(string: key))
    guard let cover else {
      misses.add(1, ordering: .relaxed)
      return nil
    }
    hits.add(1, ordering: .relaxed)
    return cover
  }

  /// Returns whether a cover is present, without counting.
  public func contains(_ key: String) -> Bool {
    cache.object(forKey: NSString(string: key)) != nil
  }

  /// Returns true: `NSCache` makes room after the insertion.
  public func reserve(_ size: PixelSize) -> Bool { true }

  /// Does nothing, because no room was reserved.
  public func release(_ size: PixelSize) {}

  /// Inserts a cover, which the cache may evict at once.
  @discardableResult
  public func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool {
    let key = NSString(string: key)
    return held.withLock { held in
      if let old = cache.object(forKey: key) { held.metrics.remove(old) }
      held.metrics.objectCount += 1
      held.metrics.memoryUsage += cover.byteCount
      cache.setObject(cover, forKey: key, cost: cost.cost(of: cover.size))
      let evicted = listener.evicted.withLock { evicted in
        defer { evicted = [] }
        return evicted
      }
      for old in evicted { held.metrics.remove(old) }
      held.metrics.evictionCount += evicted.count
      return !evicted.contains { $0 === cover }
    }
  }

  /// Removes a cover and returns whether it was present.
  @discardableResult
  public func remove(_ key: String) -> Bool {
    let key = NSString(string: key)
    return held.withLock { held in
      guard let old = cache.object(forKey: key) else { return false }
      cache.removeObject(forKey: key)
      held.metrics.remove(old)
      return true
    }
  }

  /// Removes all covers if `bytes` is 0.
  ///
  /// Otherwise does nothing, because `NSCache` has no such call.
  public func shrink(toBytes bytes: Int) -> Int {
    guard bytes == 0 else { return 0 }
    return held.withLock { held in
      let freed = held.metrics.memoryUsage
      cache.removeAllObjects()
      held.metrics.memoryUsage = 0
      held.metrics.objectCount = 0
      return freed
    }
  }

  /// Always empty: `NSCache` does not list its keys.
  public var sizes: [(key: String, bytes: Int)] { [] }

  /// The limits given to the cache.
  public var limits: TierLimits { held.withLock { $0.limits } }

  /// Changes the limits, which `NSCache` applies at the next insertion.
  @discardableResult
  public func setLimits(_ limits: TierLimits) -> Int {
    held.withLock { held in
      held.limits = limits
      apply(limits)
    }
    return 0
  }

  /// The counters and content size of the tier.
  public var metrics: CacheMetrics {
    var metrics = held.withLock { $0.metrics }
    metrics.hitCount = hits.load(ordering: .relaxed)
    metrics.missCount = misses.load(ordering: .relaxed)
    return metrics
  }

  private func apply(_ limits: TierLimits) {
    cache.countLimit = limits.count == .max ? 0 : limits.count
    cache.totalCostLimit = limits.bytes == .max ? 0 : limits.bytes
  }
}

extension CacheMetrics {
  /// Subtracts a removed cover from the content size.
  fileprivate mutating func remove(_ cover: PixelBuffer) {
    objectCount -= 1
    memoryUsage -= cover.byteCount
  }
}
