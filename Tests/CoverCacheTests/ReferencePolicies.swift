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
