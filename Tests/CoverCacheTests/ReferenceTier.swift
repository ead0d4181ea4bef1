import CoverCache

/// A memory tier with a plain policy, as a model for the real ones.
struct ReferenceTier {
  private(set) var limits: TierLimits
  private var policy: any ReferencePolicy
  private var covers: [String: Int] = [:]
  private var reserved: [Int] = []
  private var metrics = CacheMetrics()
  /// Look-ups since the last change, each key once, in the order of the last look-up.
  private var found: [(key: String, times: Int)] = []

  init(_ policy: MemoryPolicy, limits: TierLimits) {
    self.limits = limits
    self.policy =
      switch policy {
      case .sieve: ReferenceSIEVE()
      case .s3FIFO: ReferenceS3FIFO()
      case .tinyLFU: ReferenceTinyLFU()
      case .gdsf: ReferenceGDSF()
      default: ReferenceLRU()
      }
    self.policy.limited(to: limits)
  }

  var held: Int { covers.values.reduce(0, +) }

  mutating func look(_ key: String) -> Int? {
    guard let bytes = covers[key] else {
      metrics.missCount += 1
      return nil
    }
    metrics.hitCount += 1
    let index = found.firstIndex { $0.key == key }
    let times = index.map { found.remove(at: $0).times } ?? 0
    found.append((key, times + 1))
    return bytes
  }

  mutating func currentMetrics() -> CacheMetrics {
    settle()
    return metrics
  }

  private mutating func settle() {
    for (key, times) in found { policy.touched(key, times: times) }
    found = []
  }

  mutating func reserve(bytes: Int) -> Bool {
    settle()
    let fits = makeRoom(for: (nil, bytes))
    if fits { reserved.append(bytes) } else { metrics.refusedCount += 1 }
    update()
    return fits
  }

  mutating func release(bytes: Int) {
    settle()
    reserved.firstIndex(of: bytes).map { _ = reserved.remove(at: $0) }
    update()
  }

  mutating func insert(_ key: String, bytes: Int) -> Bool {
    settle()
    remove(key)
    let fits = makeRoom(for: (key, bytes))
    if fits {
      covers[key] = bytes
      policy.inserted(key, bytes: bytes)
    } else {
      metrics.refusedCount += 1
    }
    update()
    return fits
  }

  mutating func remove(_ key: String) {
    settle()
    if covers.removeValue(forKey: key) != nil { policy.removed(key) }
    update()
  }

  mutating func shrink(toBytes bytes: Int) -> Int {
    settle()
    let before = held
    while held > bytes, let key = policy.evict(for: nil) { covers[key] = nil }
    update()
    return before - held
  }

  mutating func setLimits(_ limits: TierLimits) -> Int {
    settle()
    self.limits = limits
    policy.limited(to: limits)
    let before = held
    let room = (
      count: max(0, limits.count - reserved.count),
      bytes: max(0, limits.bytes - reserved.reduce(0, +))
    )
    while covers.count > room.count || held > room.bytes, let key = policy.evict(for: nil) {
      covers[key] = nil
      metrics.evictionCount += 1
    }
    update()
    return before - held
  }

  private mutating func makeRoom(for newcomer: (key: String?, bytes: Int)) -> Bool {
    let room = limits.bytes - reserved.reduce(0, +)
    guard newcomer.bytes <= room, reserved.count < limits.count else { return false }
    while covers.count + reserved.count >= limits.count || held + newcomer.bytes > room {
      guard let key = policy.evict(for: newcomer) else { return false }
      covers[key] = nil
      metrics.evictionCount += 1
    }
    return true
  }

  private mutating func update() {
    metrics.memoryUsage = held
    metrics.objectCount = covers.count
    metrics.reservedBytes = reserved.reduce(0, +)
  }
}
