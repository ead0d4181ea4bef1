/// Caches of objects of one size, written from their papers: each function returns the hits of a
/// trace.
///
/// They share no structure with the module's policies: an order is a list of objects or the time of
/// the last use, and counts are exact.
enum PaperCaches {
  static func lru(_ requests: [Int], capacity: Int) -> Int {
    var lastUse: [Int: Int] = [:]
    var hits = 0
    for (time, object) in requests.enumerated() {
      if lastUse[object] != nil {
        hits += 1
      } else if lastUse.count == capacity, let oldest = lastUse.min(by: { $0.value < $1.value }) {
        lastUse[oldest.key] = nil
      }
      lastUse[object] = time
    }
    return hits
  }

  /// Simulates algorithm 1 of Zhang and others, NSDI 2024; the newest object is first.
  static func sieve(_ requests: [Int], capacity: Int) -> Int {
    var queue: [Int] = []
    var isVisited: [Int: Bool] = [:]
    var hand: Int?
    var hits = 0
    for object in requests {
      if isVisited[object] != nil {
        hits += 1
        isVisited[object] = true
        continue
      }
      if queue.count == capacity {
        var index = hand.flatMap { queue.firstIndex(of: $0) } ?? queue.count - 1
        while isVisited[queue[index]] == true {
          isVisited[queue[index]] = false
          index = index > 0 ? index - 1 : queue.count - 1
        }
        hand = index > 0 ? queue[index - 1] : nil
        isVisited[queue.remove(at: index)] = nil
      }
      queue.insert(object, at: 0)
      isVisited[object] = false
    }
    return hits
  }

  /// Simulates algorithm 1 of Yang and others, SOSP 2023.
  ///
  /// The paper evicts from a full main queue as soon as an object enters it; the simulator of its
  /// authors does so at the next eviction.
  static func s3FIFO(
    _ requests: [Int], capacity: Int, isTrimmedAtOnce: Bool = false
  ) -> Int {
    var small: [Int] = []
    var main: [Int] = []
    var ghosts: [Int] = []
    var uses: [Int: Int] = [:]
    let mainCapacity = capacity * 9 / 10

    func evictMain() {
      while let tail = main.first {
        main.removeFirst()
        guard let count = uses[tail], count > 0 else {
          uses[tail] = nil
          return
        }
        uses[tail] = count - 1
        main.append(tail)
      }
    }
    func evictSmall() {
      while let tail = small.first {
        small.removeFirst()
        guard let count = uses[tail], count > 1 else {
          uses[tail] = nil
          ghosts.append(tail)
          if ghosts.count > max(1, mainCapacity) { ghosts.removeFirst() }
          return
        }
        uses[tail] = 0
        main.append(tail)
        if isTrimmedAtOnce, main.count > mainCapacity { evictMain() }
      }
    }

    var hits = 0
    for object in requests {
      if let count = uses[object] {
        hits += 1
        uses[object] = min(3, count + 1)
        continue
      }
      while uses.count >= capacity {
        if Double(small.count) >= 0.1 * Double(capacity) { evictSmall() } else { evictMain() }
      }
      if let index = ghosts.firstIndex(of: object) {
        ghosts.remove(at: index)
        main.append(object)
      } else {
        small.append(object)
      }
      uses[object] = 0
    }
    return hits
  }

  /// Simulates W-TinyLFU of Einziger, Friedman and Manes, TOS 2017, with the sizes of Caffeine.
  static func tinyLFU(_ requests: [Int], capacity: Int) -> Int {
    enum Segment { case window, probation, protected }
    let mainCapacity = Int(Double(capacity) * 0.99)
    let protectedCapacity = Int(Double(mainCapacity) * 0.8)
    var entries: [Int: (segment: Segment, entered: Int)] = [:]
    var counts: [Int: Int] = [:]
    var doorkeeper: Set<Int> = []
    var additions = 0
    // Orders the entries of a segment.
    var time = 0

    func enter(_ object: Int, _ segment: Segment) {
      time += 1
      entries[object] = (segment, time)
    }
    func size(_ segment: Segment) -> Int { entries.count { $0.value.segment == segment } }
    func oldest(_ segment: Segment) -> Int? {
      entries.filter { $0.value.segment == segment }.min { $0.value.entered < $1.value.entered }?
        .key
    }
    func popularity(_ object: Int) -> Int {
      counts[object, default: 0] + (doorkeeper.contains(object) ? 1 : 0)
    }
    func record(_ object: Int) {
      additions += 1
      if !doorkeeper.insert(object).inserted {
        counts[object] = min(15, counts[object, default: 0] + 1)
      }
      while additions >= 10 * capacity {
        counts = counts.mapValues { $0 / 2 }
        doorkeeper = []
        additions /= 2
      }
    }

    var hits = 0
    for object in requests {
      record(object)
      if let entry = entries[object] {
        hits += 1
        enter(object, entry.segment == .window ? .window : .protected)
        if size(.protected) > protectedCapacity, let demoted = oldest(.protected) {
          enter(demoted, .probation)
        }
        continue
      }
      enter(object, .window)
      guard size(.window) > capacity - mainCapacity, let candidate = oldest(.window) else {
        continue
      }
      if entries.count <= capacity {
        enter(candidate, .probation)
      } else if let victim = oldest(.probation), popularity(candidate) > popularity(victim) {
        entries[victim] = nil
        enter(candidate, .probation)
      } else {
        entries[candidate] = nil
      }
    }
    return hits
  }
}
