import CoverCache

/// An eviction policy in its plainest form, over keys and arrays, oldest first.
protocol ReferencePolicy {
  init()
  mutating func inserted(_ key: String, bytes: Int)
  mutating func touched(_ key: String, times: Int)
  mutating func removed(_ key: String)
  mutating func evict(for bytes: Int) -> String?
}

/// Least recently used, in its plainest form.
struct ReferenceLRU: ReferencePolicy {
  var order: [String] = []

  mutating func inserted(_ key: String, bytes: Int) { order.append(key) }
  mutating func touched(_ key: String, times: Int) {
    order.removeAll { $0 == key }
    order.append(key)
  }
  mutating func removed(_ key: String) { order.removeAll { $0 == key } }
  mutating func evict(for bytes: Int) -> String? { order.isEmpty ? nil : order.removeFirst() }
}

/// The paper's algorithm 1: a hand moves from the oldest to the newest entry and starts again.
struct ReferenceSIEVE: ReferencePolicy {
  var order: [(key: String, isVisited: Bool)] = []
  var hand = 0

  mutating func inserted(_ key: String, bytes: Int) { order.append((key, false)) }
  mutating func touched(_ key: String, times: Int) {
    if let index = order.firstIndex(where: { $0.key == key }) { order[index].isVisited = true }
  }
  mutating func removed(_ key: String) {
    guard let index = order.firstIndex(where: { $0.key == key }) else { return }
    order.remove(at: index)
    if index < hand { hand -= 1 }
    if hand == order.count { hand = 0 }
  }
  mutating func evict(for bytes: Int) -> String? {
    guard !order.isEmpty else { return nil }
    while order[hand].isVisited {
      order[hand].isVisited = false
      hand = (hand + 1) % order.count
    }
    let key = order.remove(at: hand).key
    if hand == order.count { hand = 0 }
    return key
  }
}

/// The paper's algorithm 1, one eviction per call.
struct ReferenceS3FIFO: ReferencePolicy {
  struct Entry {
    let key: String
    let bytes: Int
    var uses = 0
  }

  var small: [Entry] = []
  var main: [Entry] = []
  var ghosts: [String] = []

  mutating func inserted(_ key: String, bytes: Int) {
    if let index = ghosts.firstIndex(of: key) {
      ghosts.remove(at: index)
      main.append(Entry(key: key, bytes: bytes + 1))
    } else {
      small.append(Entry(key: key, bytes: bytes + 1))
    }
  }
  mutating func touched(_ key: String, times: Int) {
    for index in small.indices where small[index].key == key {
      small[index].uses = min(3, small[index].uses + times)
    }
    for index in main.indices where main[index].key == key {
      main[index].uses = min(3, main[index].uses + times)
    }
  }
  mutating func removed(_ key: String) {
    small.removeAll { $0.key == key }
    main.removeAll { $0.key == key }
  }
  mutating func evict(for bytes: Int) -> String? {
    while !small.isEmpty || !main.isEmpty {
      let smallBytes = small.reduce(0) { $0 + $1.bytes }
      let mainBytes = main.reduce(0) { $0 + $1.bytes }
      if smallBytes * 10 >= smallBytes + mainBytes, !small.isEmpty {
        let oldest = small.removeFirst()
        guard oldest.uses > 1 else {
          ghosts.append(oldest.key)
          while ghosts.count > max(1, main.count) { ghosts.removeFirst() }
          return oldest.key
        }
        main.append(Entry(key: oldest.key, bytes: oldest.bytes))
      } else {
        var oldest = main.removeFirst()
        guard oldest.uses > 0 else { return oldest.key }
        oldest.uses -= 1
        main.append(oldest)
      }
    }
    return nil
  }
}

/// Window, probation and protected lists, with exact counts instead of a sketch.
struct ReferenceTinyLFU: ReferencePolicy {
  typealias Entry = (key: String, bytes: Int)

  var window: [Entry] = []
  var probation: [Entry] = []
  var protected: [Entry] = []
  var uses: [String: Int] = [:]
  var additions = 0

  private var all: [Entry] { window + probation + protected }
  private func weight(_ entries: [Entry]) -> Int { entries.reduce(0) { $0 + $1.bytes } }

  private mutating func count(_ key: String, times: Int) {
    uses[key] = min(15, uses[key, default: 0] + times)
    additions += times
    while additions >= 10 * max(all.count, 16) {
      uses = uses.mapValues { $0 / 2 }
      additions /= 2
    }
  }
  mutating func inserted(_ key: String, bytes: Int) {
    window.append((key, bytes + 1))
    count(key, times: 1)
    while window.count > 1, weight(window) > weight(all) / 100 {
      probation.append(window.removeFirst())
    }
  }
  mutating func touched(_ key: String, times: Int) {
    count(key, times: times)
    if let index = window.firstIndex(where: { $0.key == key }) {
      window.append(window.remove(at: index))
    } else if let index = protected.firstIndex(where: { $0.key == key }) {
      protected.append(protected.remove(at: index))
    } else if let index = probation.firstIndex(where: { $0.key == key }) {
      protected.append(probation.remove(at: index))
      while protected.count > 1, weight(protected) * 5 > weight(probation + protected) * 4 {
        probation.append(protected.removeFirst())
      }
    }
  }
  mutating func removed(_ key: String) {
    window.removeAll { $0.key == key }
    probation.removeAll { $0.key == key }
    protected.removeAll { $0.key == key }
  }
  mutating func evict(for bytes: Int) -> String? {
    let newcomer = bytes + 1
    guard let resident = probation.first ?? protected.first else {
      return window.isEmpty ? nil : window.removeFirst().key
    }
    guard let candidate = window.first,
      weight(window) + newcomer > (weight(all) + newcomer) / 100
    else {
      removed(resident.key)
      return resident.key
    }
    guard uses[candidate.key, default: 0] > uses[resident.key, default: 0] else {
      removed(candidate.key)
      return candidate.key
    }
    removed(resident.key)
    window.removeFirst()
    probation.append(candidate)
    return resident.key
  }
}

/// The paper's rule with a search through all entries, which are ordered by their last use.
struct ReferenceGDSF: ReferencePolicy {
  struct Entry {
    let key: String
    let bytes: Int
    var uses: Int
    var worth: Double
  }

  var entries: [Entry] = []
  var floor = 0.0

  mutating func inserted(_ key: String, bytes: Int) {
    entries.append(
      Entry(key: key, bytes: bytes, uses: 1, worth: floor + 1 / Double(bytes + 1)))
  }
  mutating func touched(_ key: String, times: Int) {
    guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
    var entry = entries.remove(at: index)
    entry.uses += times
    entry.worth = floor + Double(entry.uses) / Double(entry.bytes + 1)
    entries.append(entry)
  }
  mutating func removed(_ key: String) { entries.removeAll { $0.key == key } }
  mutating func evict(for bytes: Int) -> String? {
    // The first of equals.
    guard let lowest = entries.indices.min(by: { entries[$0].worth < entries[$1].worth }) else {
      return nil
    }
    floor = entries[lowest].worth
    return entries.remove(at: lowest).key
  }
}

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
    let fits = makeRoom(for: bytes)
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
    let fits = makeRoom(for: bytes)
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
    while held > bytes, let key = policy.evict(for: 0) { covers[key] = nil }
    update()
    return before - held
  }

  mutating func setLimits(_ limits: TierLimits) -> Int {
    settle()
    self.limits = limits
    let before = held
    let room = (
      count: max(0, limits.count - reserved.count),
      bytes: max(0, limits.bytes - reserved.reduce(0, +))
    )
    while covers.count > room.count || held > room.bytes, let key = policy.evict(for: 0) {
      covers[key] = nil
      metrics.evictionCount += 1
    }
    update()
    return before - held
  }

  private mutating func makeRoom(for bytes: Int) -> Bool {
    let room = limits.bytes - reserved.reduce(0, +)
    guard bytes <= room, reserved.count < limits.count else { return false }
    while covers.count + reserved.count >= limits.count || held + bytes > room {
      guard let key = policy.evict(for: bytes) else { return false }
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
