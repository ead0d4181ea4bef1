import CoverCache
import PerfTestSupport
import Testing

/// What a least-recently-used tier does, said as plainly as possible: a list, oldest first.
private struct ReferenceLRU {
  let limits: TierLimits
  var covers: [(key: String, bytes: Int)] = []
  var metrics = CacheMetrics()

  mutating func look(_ key: String) -> Int? {
    guard let index = covers.firstIndex(where: { $0.key == key }) else {
      metrics.missCount += 1
      return nil
    }
    metrics.hitCount += 1
    covers.append(covers.remove(at: index))
    return covers.last?.bytes
  }

  mutating func insert(_ key: String, bytes: Int) {
    covers.removeAll { $0.key == key }
    if bytes <= limits.bytes, limits.count > 0 {
      while covers.count >= limits.count || held + bytes > limits.bytes {
        covers.removeFirst()
        metrics.evictionCount += 1
      }
      covers.append((key, bytes))
    }
    update()
  }

  mutating func shrink(toBytes bytes: Int) -> Int {
    let before = held
    while held > bytes { covers.removeFirst() }
    update()
    return before - held
  }

  var held: Int { covers.reduce(0) { $0 + $1.bytes } }

  private mutating func update() {
    metrics.memoryUsage = held
    metrics.objectCount = covers.count
  }
}

@Suite struct `an LRU tier` {
  @Test(arguments: [
    TierLimits(count: 20), TierLimits(bytes: 3000), TierLimits(count: 12, bytes: 2500),
    TierLimits(count: 1, bytes: 400), TierLimits(count: 0), TierLimits(bytes: 0),
  ])
  func `does what a plain list does`(limits: TierLimits) throws {
    var random = SampleRandom(seed: 42)
    let tier = MemoryPolicy.lru.makeTier(limits: limits)
    var reference = ReferenceLRU(limits: limits)
    for _ in 0..<4000 {
      let key = "book \(Int.random(in: 0..<40, using: &random))"
      switch Int.random(in: 0..<100, using: &random) {
      case ..<55:
        #expect(tier.cover(for: key)?.byteCount == reference.look(key))
      case ..<98:
        // 4 to 400 bytes: an object may be over the byte limit alone.
        let pixels = Int.random(in: 1...100, using: &random)
        tier.insert(try solid(pixels, 1, RGBA(red: 1, green: 2, blue: 3)), for: key)
        reference.insert(key, bytes: pixels * 4)
      default:
        let bytes = Int.random(in: 0...max(1, reference.held), using: &random)
        #expect(tier.shrink(toBytes: bytes) == reference.shrink(toBytes: bytes))
      }
      #expect(tier.metrics == reference.metrics)
      #expect(tier.metrics.memoryUsage <= limits.bytes)
      #expect(tier.metrics.objectCount <= limits.count)
    }
  }

  @Test func `lets go of what it evicts`() throws {
    let tier = MemoryPolicy.lru.makeTier(limits: TierLimits(count: 1))
    weak var first: PixelBuffer?
    do {
      let cover = try solid(1, 1, RGBA(red: 0, green: 0, blue: 0))
      first = cover
      tier.insert(cover, for: "first")
    }
    #expect(first != nil)
    tier.insert(try solid(1, 1, RGBA(red: 0, green: 0, blue: 0)), for: "second")
    #expect(first == nil)
  }

  @Test func `keeps its limits while threads contend`() async throws {
    let tier = MemoryPolicy.lru.makeTier(limits: TierLimits(count: 10, bytes: 1000))
    await withTaskGroup(of: Bool.self) { group in
      for seed in 0..<4 {
        group.addTask {
          var random = SampleRandom(seed: UInt64(seed))
          var isWithinLimits = true
          for _ in 0..<1000 {
            let key = "\(Int.random(in: 0..<30, using: &random))"
            if tier.cover(for: key) == nil, let cover = try? gradient(40, 1) {
              tier.insert(cover, for: key)
            }
            let metrics = tier.metrics
            isWithinLimits =
              isWithinLimits && metrics.memoryUsage <= 1000 && metrics.objectCount <= 10
          }
          return isWithinLimits
        }
      }
      for await isWithinLimits in group { #expect(isWithinLimits) }
    }
    #expect(tier.metrics.totalRequests == 4000)
  }
}

@Suite struct `the naive dictionary` {
  @Test func `holds everything for ever`() throws {
    let tier = MemoryPolicy.dictionary.makeTier(limits: TierLimits(count: 1, bytes: 1))
    for number in 0..<50 { tier.insert(try gradient(10, 10), for: "\(number)") }
    #expect(tier.metrics.objectCount == 50)
    #expect(tier.metrics.memoryUsage == 50 * 400)
    #expect(tier.cover(for: "0") != nil)
    #expect(tier.shrink(toBytes: 10_000) == 0)
  }

  @Test func `counts a key that is entered twice once`() throws {
    let tier = MemoryPolicy.dictionary.makeTier(limits: TierLimits())
    tier.insert(try gradient(10, 10), for: "a")
    tier.insert(try gradient(5, 5), for: "a")
    #expect(tier.metrics.memoryUsage == 100)
    #expect(tier.shrink(toBytes: 0) == 100)
    #expect(tier.metrics.objectCount == 0)
  }
}

@Suite struct `cache metrics` {
  @Test func `have no ratio before the first request`() {
    #expect(CacheMetrics().hitRatio == 0)
  }

  @Test func `divide hits by all requests`() {
    var metrics = CacheMetrics()
    metrics.hitCount = 892
    metrics.missCount = 355
    #expect(metrics.totalRequests == 1247)
    // The case study's 892 of 1,247.
    #expect(abs(metrics.hitRatio - 0.7153) < 0.0001)
  }
}
