internal import Synchronization

/// A memory tier without limits: strong references in a dictionary.
public final class DictionaryTier: MemoryTier {
  private struct State {
    var covers: [String: PixelBuffer] = [:]
    var metrics = CacheMetrics()
  }

  private let state = Mutex(State())

  /// Creates an empty tier.
  public init() {}

  /// Returns a cover and counts a hit; returns nil and counts a miss if it is absent.
  public func cover(for key: String) -> PixelBuffer? {
    state.withLock { state in
      let cover = state.covers[key]
      if cover == nil { state.metrics.missCount += 1 } else { state.metrics.hitCount += 1 }
      return cover
    }
  }

  /// Returns whether a cover is present, without counting.
  public func contains(_ key: String) -> Bool {
    state.withLock { $0.covers[key] != nil }
  }

  /// Returns true: there is always room.
  public func reserve(_ size: PixelSize) -> Bool { true }

  /// Does nothing, because no room was reserved.
  public func release(_ size: PixelSize) {}

  /// Inserts a cover, which stays until it is removed.
  @discardableResult
  public func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool {
    state.withLock { state in
      let old = state.covers.updateValue(cover, forKey: key)
      state.metrics.memoryUsage += cover.byteCount - (old?.byteCount ?? 0)
      state.metrics.objectCount = state.covers.count
    }
    return true
  }

  /// Removes a cover and returns whether it was present.
  @discardableResult
  public func remove(_ key: String) -> Bool {
    state.withLock { state in
      guard let old = state.covers.removeValue(forKey: key) else { return false }
      state.metrics.memoryUsage -= old.byteCount
      state.metrics.objectCount -= 1
      return true
    }
  }

  /// Removes all covers if `bytes` is 0.
  ///
  /// Otherwise does nothing, because the tier has no order.
  public func shrink(toBytes bytes: Int) -> Int {
    guard bytes == 0 else { return 0 }
    let freed = state.withLock { state in
      let freed = state.covers
      state.covers = [:]
      state.metrics.memoryUsage = 0
      state.metrics.objectCount = 0
      return freed
    }
    return freed.values.reduce(0) { $0 + $1.byteCount }
  }

  /// The covers in the tier, in no order.
  public var sizes: [(key: String, bytes: Int)] {
    state.withLock { state in state.covers.map { ($0.key, $0.value.byteCount) } }
  }

  /// The absence of limits.
  public var limits: TierLimits { TierLimits() }

  /// Does nothing: a dictionary has no limits.
  @discardableResult
  public func setLimits(_ limits: TierLimits) -> Int { 0 }

  /// The counters and content size of the tier.
  public var metrics: CacheMetrics { state.withLock { $0.metrics } }
}
