import CoverCache

/// An eviction policy in its plainest form, over keys and arrays, oldest first.
protocol ReferencePolicy {
  init()
  mutating func limited(to limits: TierLimits)
  mutating func inserted(_ key: String, bytes: Int)
  mutating func touched(_ key: String, times: Int)
  mutating func removed(_ key: String)
  /// `newcomer` is the entry that needs room, whose key may be unknown; nil without one.
  mutating func evict(for newcomer: (key: String?, bytes: Int)?) -> String?
}

extension ReferencePolicy {
  mutating func limited(to limits: TierLimits) {}
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
  mutating func evict(for newcomer: (key: String?, bytes: Int)?) -> String? {
    order.isEmpty ? nil : order.removeFirst()
  }
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
  mutating func evict(for newcomer: (key: String?, bytes: Int)?) -> String? {
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

/// The limits of a table and the unit that its policy measures in.
///
/// The unit is the cost where the content fills more of the byte limit than of the count limit, and
/// the number of objects elsewhere.
struct ReferenceSpace {
  var limits = TierLimits()

  func isByBytes(_ content: [Int]) -> Bool {
    Double(content.reduce(0, +)) / Double(max(1, limits.bytes))
      > Double(content.count) / Double(max(1, limits.count))
  }
  func size(_ entries: [Int], of content: [Int]) -> Int {
    isByBytes(content) ? entries.reduce(0, +) : entries.count
  }
  func capacity(_ content: [Int]) -> Double {
    Double(isByBytes(content) ? limits.bytes : limits.count)
  }
  /// The objects of the content's mean size that fit.
  func objects(_ content: [Int]) -> Int {
    let bytes = content.reduce(0, +)
    guard bytes > 0, limits.bytes < .max else { return limits.count }
    return min(limits.count, limits.bytes * content.count / bytes)
  }
}

/// S3-FIFO with one eviction per call, over arrays.
struct ReferenceS3FIFO: ReferencePolicy {
  struct Entry {
    let key: String
    let bytes: Int
    var uses = 0
  }

  var space = ReferenceSpace()
  var small: [Entry] = []
  var main: [Entry] = []
  var ghosts: [String] = []
  var most = 0

  private var content: [Int] { (small + main).map(\.bytes) }

  mutating func limited(to limits: TierLimits) { space.limits = limits }
  mutating func inserted(_ key: String, bytes: Int) {
    if let index = ghosts.firstIndex(of: key) {
      ghosts.remove(at: index)
      main.append(Entry(key: key, bytes: bytes))
    } else {
      small.append(Entry(key: key, bytes: bytes))
    }
    most = max(most, small.count + main.count)
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
  mutating func evict(for newcomer: (key: String?, bytes: Int)?) -> String? {
    let smallSize = space.size(small.map(\.bytes), of: content)
    let isSmallDue = 10 * smallSize >= space.size(content, of: content) || main.isEmpty
    while isSmallDue, !small.isEmpty {
      let oldest = small.removeFirst()
      guard oldest.uses > 1 else {
        ghosts.append(oldest.key)
        let limit = max(1, min(most, space.objects(content)) * 9 / 10)
        ghosts.removeFirst(max(0, ghosts.count - limit))
        return oldest.key
      }
      main.append(Entry(key: oldest.key, bytes: oldest.bytes))
    }
    while !main.isEmpty {
      var oldest = main.removeFirst()
      guard oldest.uses > 0 else { return oldest.key }
      oldest.uses -= 1
      main.append(oldest)
    }
    return nil
  }
}

/// Window, probation and protected lists, with exact counts instead of a sketch.
struct ReferenceTinyLFU: ReferencePolicy {
  typealias Entry = (key: String, bytes: Int)

  var space = ReferenceSpace()
  var window: [Entry] = []
  var probation: [Entry] = []
  var protected: [Entry] = []
  var uses: [String: Int] = [:]
  var known: Set<String> = []
  var additions = 0
  var counted: String?

  private var content: [Int] { (window + probation + protected).map(\.bytes) }
  private var windowCapacity: Int { Int((space.capacity(content) / 100).rounded(.up)) }
  private var protectedCapacity: Int {
    Int((space.capacity(content) - Double(windowCapacity)) * 0.8)
  }

  mutating func limited(to limits: TierLimits) { space.limits = limits }
  private func popularity(_ key: String) -> Int {
    uses[key, default: 0] + (known.contains(key) ? 1 : 0)
  }
  private mutating func count(_ key: String, times: Int) {
    additions += times
    let again = known.insert(key).inserted ? times - 1 : times
    uses[key] = min(15, uses[key, default: 0] + again)
    let sample = max(1, 10.0 * Double(space.objects(content)))
    while Double(additions) >= sample {
      uses = uses.mapValues { $0 / 2 }
      known = []
      additions /= 2
    }
  }
  private mutating func countNewcomer(_ key: String) {
    guard counted != key else { return }
    counted = key
    count(key, times: 1)
  }
  mutating func inserted(_ key: String, bytes: Int) {
    countNewcomer(key)
    counted = nil
    window.append((key, bytes))
    while window.count > 1, space.size(window.map(\.bytes), of: content) > windowCapacity {
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
      while protected.count > 1,
        space.size(protected.map(\.bytes), of: content) > protectedCapacity
      {
        probation.append(protected.removeFirst())
      }
    }
  }
  mutating func removed(_ key: String) {
    window.removeAll { $0.key == key }
    probation.removeAll { $0.key == key }
    protected.removeAll { $0.key == key }
  }
  mutating func evict(for newcomer: (key: String?, bytes: Int)?) -> String? {
    if let key = newcomer?.key { countNewcomer(key) }
    let sizes = window.map(\.bytes) + (newcomer.map { [$0.bytes] } ?? [])
    let isWindowFull = space.size(sizes, of: content) > windowCapacity
    var loser = (probation.first ?? protected.first ?? window.first)?.key
    if let candidate = window.first?.key, let resident = loser, isWindowFull,
      popularity(candidate) <= popularity(resident)
    {
      loser = candidate
    }
    if let loser { removed(loser) }
    return loser
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
  mutating func evict(for newcomer: (key: String?, bytes: Int)?) -> String? {
    // The first of equals.
    guard let lowest = entries.indices.min(by: { entries[$0].worth < entries[$1].worth }) else {
      return nil
    }
    floor = entries[lowest].worth
    return entries.remove(at: lowest).key
  }
}
