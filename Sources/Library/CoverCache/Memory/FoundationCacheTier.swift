internal import Foundation
internal import Synchronization

/// Foundation's `NSCache` as a tier, for comparison: the case studies used it.
///
/// On Linux it is not an LRU cache. It evicts the object with the lowest cost, whenever that was
/// last used, and among objects of one cost the newest: at its object limit it turns away every new
/// object. It exceeds its limits during an insertion.
final class FoundationCacheTier: MemoryTier {
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
  private typealias Content = (limits: TierLimits, metrics: CacheMetrics)

  /// The content size and limits; the lock is held during every change of the cache.
  private let held: Mutex<Content>

  init(limits: TierLimits, cost: CoverCost) {
    self.cost = cost
    held = Mutex((limits, CacheMetrics()))
    apply(limits)
    cache.delegate = listener
  }

  func cover(for key: String) -> PixelBuffer? {
    guard let cover = cache.object(forKey: NSString(string: key)) else {
      misses.add(1, ordering: .relaxed)
      return nil
    }
    hits.add(1, ordering: .relaxed)
    return cover
  }

  func contains(_ key: String) -> Bool {
    cache.object(forKey: NSString(string: key)) != nil
  }

  /// Returns true unless a limit is 0: `NSCache` makes room after the insertion.
  func reserve(_ size: PixelSize) -> Bool { held.withLock { admits(size, &$0) } }

  func release(_ size: PixelSize) {}

  /// Inserts a cover, which the cache may evict at once.
  func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool {
    let key = NSString(string: key)
    return held.withLock { held in
      guard admits(cover.size, &held) else { return false }
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

  func remove(_ key: String) -> Bool {
    let key = NSString(string: key)
    return held.withLock { held in
      guard let old = cache.object(forKey: key) else { return false }
      cache.removeObject(forKey: key)
      held.metrics.remove(old)
      return true
    }
  }

  /// Removes all covers if `bytes` is 0; otherwise does nothing, because `NSCache` cannot shrink.
  func shrink(toBytes bytes: Int) -> Int {
    bytes == 0 ? held.withLock { removeAll(&$0) } : 0
  }

  /// Always empty: `NSCache` does not list its keys.
  var sizes: [(key: String, bytes: Int)] { [] }

  var limits: TierLimits { held.withLock { $0.limits } }

  /// Changes the limits, which `NSCache` applies at the next insertion; a limit of 0 holds at once.
  func setLimits(_ limits: TierLimits) -> Int {
    held.withLock { held in
      held.limits = limits
      apply(limits)
      return limits.count == 0 || limits.bytes == 0 ? removeAll(&held) : 0
    }
  }

  var metrics: CacheMetrics {
    var metrics = held.withLock { $0.metrics }
    metrics.hitCount = hits.load(ordering: .relaxed)
    metrics.missCount = misses.load(ordering: .relaxed)
    return metrics
  }

  /// Returns whether the limits admit a cover, and counts a refusal; for `NSCache` 0 means no limit.
  private func admits(_ size: PixelSize, _ held: inout Content) -> Bool {
    let isAdmitted =
      held.limits.count > 0 && (held.limits.bytes > 0 || cost.cost(of: size) == 0)
    if !isAdmitted { held.metrics.refusedCount += 1 }
    return isAdmitted
  }

  /// Removes all covers and returns their bytes.
  private func removeAll(_ held: inout Content) -> Int {
    cache.removeAllObjects()
    defer {
      held.metrics.memoryUsage = 0
      held.metrics.objectCount = 0
    }
    return held.metrics.memoryUsage
  }

  /// Sets the limits of the cache, for which 0 means none.
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
