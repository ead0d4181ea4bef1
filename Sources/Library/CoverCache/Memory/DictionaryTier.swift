internal import Synchronization

/// The unbounded tier: strong references in a dictionary, for ever.
public final class DictionaryTier: MemoryTier {
  private struct State {
    var covers: [String: PixelBuffer] = [:]
    var metrics = CacheMetrics()
  }

  private let state = Mutex(State())

  /// Makes an empty tier.
  public init() {}

  /// Returns a cover and counts a hit, or nil and counts a miss.
  public func cover(for key: String) -> PixelBuffer? {
    state.withLock { state in
      let cover = state.covers[key]
      if cover == nil { state.metrics.missCount += 1 } else { state.metrics.hitCount += 1 }
      return cover
    }
  }

  /// Whether a cover is held; counts nothing.
  public func contains(_ key: String) -> Bool {
    state.withLock { $0.covers[key] != nil }
  }

  /// Keeps no room free, as there is always some.
  public func reserve(_ size: PixelSize) -> Bool { true }

  /// Does nothing, as no room was kept.
  public func release(_ size: PixelSize) {}

  /// Holds a cover for ever.
  @discardableResult
  public func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool {
    state.withLock { state in
      let old = state.covers.updateValue(cover, forKey: key)
      state.metrics.memoryUsage += cover.byteCount - (old?.byteCount ?? 0)
      state.metrics.objectCount = state.covers.count
    }
    return true
  }

  /// Lets a cover go, and returns whether it was held.
  @discardableResult
  public func remove(_ key: String) -> Bool {
    state.withLock { state in
      guard let old = state.covers.removeValue(forKey: key) else { return false }
      state.metrics.memoryUsage -= old.byteCount
      state.metrics.objectCount -= 1
      return true
    }
  }

  /// Lets everything go when asked for no bytes at all; for less than that it knows no order.
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

  /// What is held, in no order.
  public var sizes: [(key: String, bytes: Int)] {
    state.withLock { state in state.covers.map { ($0.key, $0.value.byteCount) } }
  }

  /// No limits at all.
  public var limits: TierLimits { TierLimits() }

  /// Does nothing: a dictionary has no limits.
  @discardableResult
  public func setLimits(_ limits: TierLimits) -> Int { 0 }

  /// What the tier has done and holds.
  public var metrics: CacheMetrics { state.withLock { $0.metrics } }
}
