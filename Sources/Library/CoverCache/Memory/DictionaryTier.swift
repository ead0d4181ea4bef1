internal import Synchronization

/// A memory tier without limits: strong references in a dictionary.
final class DictionaryTier: MemoryTier {
  private struct State {
    var covers: [String: PixelBuffer] = [:]
    var metrics = CacheMetrics()
  }

  private let state = Mutex(State())

  func cover(for key: String) -> PixelBuffer? {
    state.withLock { state in
      let cover = state.covers[key]
      if cover == nil { state.metrics.missCount += 1 } else { state.metrics.hitCount += 1 }
      return cover
    }
  }

  func contains(_ key: String) -> Bool { state.withLock { $0.covers[key] != nil } }

  func reserve(_ size: PixelSize) -> Bool { true }

  func release(_ size: PixelSize) {}

  func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool {
    state.withLock { state in
      let old = state.covers.updateValue(cover, forKey: key)
      state.metrics.memoryUsage += cover.byteCount - (old?.byteCount ?? 0)
      state.metrics.objectCount = state.covers.count
    }
    return true
  }

  func remove(_ key: String) -> Bool {
    state.withLock { state in
      guard let old = state.covers.removeValue(forKey: key) else { return false }
      state.metrics.memoryUsage -= old.byteCount
      state.metrics.objectCount -= 1
      return true
    }
  }

  /// Removes all covers if `bytes` is 0; otherwise does nothing, because the tier has no order.
  func shrink(toBytes bytes: Int) -> Int {
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

  var sizes: [(key: String, bytes: Int)] {
    state.withLock { state in state.covers.map { ($0.key, $0.value.byteCount) } }
  }

  var limits: TierLimits { TierLimits() }

  func setLimits(_ limits: TierLimits) -> Int { 0 }

  var metrics: CacheMetrics { state.withLock { $0.metrics } }
}
