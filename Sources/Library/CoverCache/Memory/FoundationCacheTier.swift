internal import Foundation
internal import Synchronization

/// Foundation's `NSCache` as a tier: what the case studies used, for comparison.
///
/// On Linux it is no LRU cache. It evicts what is cheapest first, whenever that was last asked for,
/// and among covers of one cost the newest: at its limit of objects it turns every newcomer away. Its
/// limits hold between two calls and not within one.
public final class FoundationCacheTier: MemoryTier {
  /// Hears what the cache evicts, which it tells nobody else.
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
  /// What is held; whoever changes the cache holds this lock.
  private let held: Mutex<(limits: TierLimits, metrics: CacheMetrics)>

  /// Makes an empty tier.
  ///
  /// - Parameters:
  ///   - limits: Given to the cache; a limit of 0 is none there.
  ///   - cost: What a cover counts for against the limit of bytes.
  public init(limits: TierLimits, cost: CoverCost = .bytes) {
    self.cost = cost
    held = Mutex((limits, CacheMetrics()))
    apply(limits)
    cache.delegate = listener
  }

  /// Returns a cover and counts a hit, or nil and counts a miss.
  public func cover(for key: String) -> PixelBuffer? {
    let cover = cache.object(forKey: NSString(string: key))
    guard let cover else {
      misses.add(1, ordering: .relaxed)
      return nil
    }
    hits.add(1, ordering: .relaxed)
    return cover
  }

  /// Whether a cover is held; counts nothing.
  public func contains(_ key: String) -> Bool {
    cache.object(forKey: NSString(string: key)) != nil
  }

  /// Makes no room: the cache makes some after the cover was entered.
  public func reserve(_ size: PixelSize) -> Bool { true }

  /// Does nothing, as there was no room made.
  public func release(_ size: PixelSize) {}

  /// Hands a cover to the cache, which may drop it at once.
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

  /// Lets a cover go, and returns whether it was held.
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

  /// Lets everything go when asked for no bytes at all; for less than that the cache has no call.
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

  /// Nothing: the cache does not tell its keys.
  public var sizes: [(key: String, bytes: Int)] { [] }

  /// What the cache was given.
  public var limits: TierLimits { held.withLock { $0.limits } }

  /// Gives the cache other limits, to which it pays attention when the next cover comes.
  @discardableResult
  public func setLimits(_ limits: TierLimits) -> Int {
    held.withLock { held in
      held.limits = limits
      apply(limits)
    }
    return 0
  }

  /// What the tier has done and holds.
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
  /// Takes a cover that left out of what is held.
  fileprivate mutating func remove(_ cover: PixelBuffer) {
    objectCount -= 1
    memoryUsage -= cover.byteCount
  }
}
