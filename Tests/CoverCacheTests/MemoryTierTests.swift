import CoverCache
import PerfTestSupport
import Testing

private func cover(pixels: Int) throws -> PixelBuffer {
  try PixelBuffer(size: PixelSize(width: pixels, height: 1)) { _ in }
}

@Suite struct `a bounded tier` {
  @Test(
    arguments: MemoryPolicy.bounded,
    [
      TierLimits(count: 20), TierLimits(bytes: 3000), TierLimits(count: 12, bytes: 2500),
      TierLimits(count: 1, bytes: 400), TierLimits(count: 0), TierLimits(bytes: 0),
    ])
  func `each bounded policy behaves like its plain model`(policy: MemoryPolicy, limits: TierLimits)
    throws
  {
    var random = SampleRandom(seed: 42)
    let tier = policy.makeTier(limits: limits)
    var model = ReferenceTier(policy, limits: limits)
    var onTheirWay: [PixelSize] = []
    for step in 0..<3000 {
      // Half of the keys are favourites, so that policies can count their uses.
      let isFavourite = random.chance(0.5)
      let key = "book \(Int.random(in: 0..<(isFavourite ? 8 : 40), using: &random))"
      // 4 to 400 bytes: one object may exceed the byte limit.
      let pixels = Int.random(in: 1...100, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case ..<60:
        #expect(tier.cover(for: key)?.byteCount == model.look(key))
      case ..<90:
        let isHeld = tier.insert(try cover(pixels: pixels), for: key)
        #expect(isHeld == model.insert(key, bytes: pixels * 4))
      case ..<93:
        let size = PixelSize(width: pixels, height: 1)
        let hasRoom = tier.reserve(size)
        #expect(hasRoom == model.reserve(bytes: pixels * 4))
        if hasRoom { onTheirWay.append(size) }
      case ..<96:
        guard let size = onTheirWay.popLast() else { continue }
        model.release(bytes: size.width * 4)
        if step.isMultiple(of: 2) {
          tier.release(size)
        } else {
          let isHeld = tier.insert(try cover(pixels: size.width), for: key, reserved: size)
          #expect(isHeld == model.insert(key, bytes: size.width * 4))
        }
      case ..<98:
        tier.remove(key)
        model.remove(key)
      default:
        let bytes = Int.random(in: 0...max(1, model.held), using: &random)
        #expect(tier.shrink(toBytes: bytes) == model.shrink(toBytes: bytes))
      }
      // Not at each step, because reading the metrics reports all pending look-ups to the policy.
      guard random.chance(0.2) else { continue }
      let metrics = tier.metrics
      #expect(metrics == model.currentMetrics(), "step \(step)")
      #expect(metrics.memoryUsage + metrics.reservedBytes <= limits.bytes)
      #expect(metrics.objectCount + onTheirWay.count <= limits.count)
    }
  }

  @Test(arguments: MemoryPolicy.bounded)
  func `changed limits hold at once for each policy`(policy: MemoryPolicy) throws {
    var random = SampleRandom(seed: 5)
    let tier = policy.makeTier(limits: TierLimits(count: 10))
    var model = ReferenceTier(policy, limits: TierLimits(count: 10))
    for _ in 0..<300 {
      let limits = TierLimits(
        count: Int.random(in: 0...20, using: &random),
        bytes: Int.random(in: 0...4000, using: &random)
      )
      #expect(tier.setLimits(limits) == model.setLimits(limits))
      #expect(tier.limits == limits)
      for _ in 0..<10 {
        let key = "\(Int.random(in: 0..<30, using: &random))"
        let pixels = Int.random(in: 1...100, using: &random)
        tier.insert(try cover(pixels: pixels), for: key)
        _ = model.insert(key, bytes: pixels * 4)
      }
      #expect(tier.metrics == model.currentMetrics())
      #expect(tier.metrics.memoryUsage <= limits.bytes)
    }
  }

  @Test(arguments: MemoryPolicy.bounded)
  func `changed limits leave room for reserved covers`(policy: MemoryPolicy) throws {
    let tier = policy.makeTier(limits: TierLimits(bytes: 4000))
    for number in 0..<7 { tier.insert(try cover(pixels: 100), for: "\(number)") }
    #expect(tier.reserve(PixelSize(width: 300, height: 1)))
    // 1,200 of 2,500 bytes are reserved, so three covers of 400 bytes remain.
    #expect(tier.setLimits(TierLimits(bytes: 2500)) == 1600)
    #expect(tier.metrics.memoryUsage + tier.metrics.reservedBytes == 2400)
  }

  @Test(arguments: MemoryPolicy.bounded)
  func `an evicted cover is released`(policy: MemoryPolicy) throws {
    let tier = policy.makeTier(limits: TierLimits(count: 1))
    weak var first: PixelBuffer?
    do {
      let cover = try cover(pixels: 1)
      first = cover
      tier.insert(cover, for: "first")
    }
    #expect(first != nil)
    tier.insert(try cover(pixels: 1), for: "second")
    #expect(first == nil)
  }

  @Test(arguments: MemoryPolicy.bounded)
  func `concurrent threads never exceed the limits of a tier`(policy: MemoryPolicy) async throws {
    let tier = policy.makeTier(limits: TierLimits(count: 10, bytes: 1000))
    await withTaskGroup(of: Bool.self) { group in
      for seed in 0..<4 {
        group.addTask {
          var random = SampleRandom(seed: UInt64(seed))
          var isWithinLimits = true
          for _ in 0..<1000 {
            let key = "\(Int.random(in: 0..<30, using: &random))"
            let size = PixelSize(width: 40, height: 1)
            if tier.cover(for: key) == nil, tier.reserve(size), let cover = try? gradient(40, 1) {
              tier.insert(cover, for: key, reserved: size)
            }
            let metrics = tier.metrics
            isWithinLimits =
              isWithinLimits && metrics.memoryUsage + metrics.reservedBytes <= 1000
              && metrics.objectCount <= 10
          }
          return isWithinLimits
        }
      }
      for await isWithinLimits in group { #expect(isWithinLimits) }
    }
    #expect(tier.metrics.totalRequests == 4000)
    #expect(tier.metrics.reservedBytes == 0)
  }

  @Test func `a tier counts the hits of all threads`() async throws {
    let tier = MemoryPolicy.lru.makeTier(limits: TierLimits(count: 2))
    tier.insert(try cover(pixels: 1), for: "a")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { for _ in 0..<500 { _ = tier.cover(for: "a") } }
      }
    }
    #expect(tier.metrics.hitCount == 20 * 500)
    #expect(tier.metrics.hitRatio == 1)
  }
}

@Suite struct `a wrong cost` {
  // Covers of 100 bytes (25 pixels) with a limit of 1,000 bytes.
  func held(_ cost: CoverCost, policy: MemoryPolicy = .lru) throws -> Int {
    let tier = policy.makeTier(limits: TierLimits(count: 60, bytes: 1000), cost: cost)
    for number in 0..<100 { tier.insert(try cover(pixels: 25), for: "\(number)") }
    return tier.metrics.memoryUsage
  }

  @Test func `a cost in pixels admits four times the byte limit`() throws {
    #expect(try held(.bytes) == 1000)
    // 40 covers of 25 pixels have 1,000 pixels and 4,000 bytes.
    #expect(try held(.pixels) == 4000)
  }

  @Test func `without a cost only the object limit holds`() throws {
    #expect(try held(.none) == 6000)
    #expect(try held(.none, policy: .tinyLFU) == 6000)
    #expect(try held(.none, policy: .s3FIFO) == 6000)
  }

  // The case study's limit of 100 MiB; a cover of 24 megapixels has 96,000,000 bytes.
  @Test(arguments: [(CoverCost.bytes, 1), (.pixels, 4), (.none, 9)])
  func `the case study's cost in pixels admits four times as many large covers`(
    cost: CoverCost, covers: Int
  ) {
    let tier = MemoryPolicy.lru.makeTier(
      limits: TierLimits(count: 9, bytes: 104_857_600), cost: cost)
    let large = PixelSize(width: 4000, height: 6000)
    let admitted = (0..<20).count { _ in tier.reserve(large) }
    #expect(admitted == covers)
    #expect(tier.metrics.reservedBytes == covers * 96_000_000)
  }
}

@Suite struct `Foundation's NSCache` {
  @Test func `a full NSCache rejects new objects`() throws {
    let tier = MemoryPolicy.nsCache.makeTier(limits: TierLimits(count: 3))
    for key in ["a", "b", "c"] { #expect(tier.insert(try cover(pixels: 1), for: key)) }
    #expect(!tier.insert(try cover(pixels: 1), for: "d"))
    #expect(["a", "b", "c", "d"].map { tier.contains($0) } == [true, true, true, false])
    #expect(tier.metrics.objectCount == 3)
    #expect(tier.metrics.evictionCount == 1)
  }

  @Test func `NSCache evicts the cheapest object, not the oldest`() throws {
    // 60 + 10 + 10 + 10 of a limit of 100; 30 more exceed it by 20, so two of the tens leave.
    let tier = MemoryPolicy.nsCache.makeTier(limits: TierLimits(bytes: 400))
    for (key, pixels) in [("a", 60), ("b", 10), ("c", 10), ("d", 10)] {
      tier.insert(try cover(pixels: pixels), for: key)
    }
    tier.insert(try cover(pixels: 30), for: "e")
    #expect(tier.contains("a"))
    #expect(tier.contains("e"))
    #expect(tier.metrics.memoryUsage == 400)
    #expect(tier.metrics.objectCount == 3)
  }

  @Test(arguments: [TierLimits(count: 0), TierLimits(bytes: 0)])
  func `a limit of 0 admits nothing`(limits: TierLimits) throws {
    let closed = MemoryPolicy.nsCache.makeTier(limits: limits)
    #expect(!closed.insert(try cover(pixels: 1), for: "a"))
    #expect(!closed.reserve(PixelSize(width: 1, height: 1)))
    #expect(!closed.contains("a"))
    #expect(closed.metrics.refusedCount == 2)
    let open = MemoryPolicy.nsCache.makeTier(limits: TierLimits())
    open.insert(try cover(pixels: 5), for: "a")
    #expect(open.setLimits(limits) == 20)
    #expect(!open.insert(try cover(pixels: 1), for: "b"))
    #expect(open.metrics.objectCount == 0)
  }

  @Test func `without a cost a byte limit of 0 admits everything, as in other tiers`() throws {
    for policy in [MemoryPolicy.nsCache, .lru] {
      let tier = policy.makeTier(limits: TierLimits(bytes: 0), cost: .none)
      #expect(tier.insert(try cover(pixels: 1), for: "a"))
    }
  }

  @Test func `the NSCache tier tracks its objects and bytes`() throws {
    let tier = MemoryPolicy.nsCache.makeTier(limits: TierLimits())
    tier.insert(try cover(pixels: 10), for: "a")
    tier.insert(try cover(pixels: 5), for: "a")
    #expect(tier.metrics.memoryUsage == 20)
    #expect(tier.cover(for: "a") != nil)
    #expect(tier.cover(for: "b") == nil)
    #expect(tier.metrics.hitRatio == 0.5)
    #expect(tier.remove("a"))
    #expect(!tier.remove("a"))
    tier.insert(try cover(pixels: 10), for: "c")
    #expect(tier.shrink(toBytes: 1) == 0)
    #expect(tier.shrink(toBytes: 0) == 40)
    #expect(tier.metrics.objectCount == 0)
  }
}

@Suite struct `the naive dictionary` {
  @Test func `a dictionary tier never evicts`() throws {
    let tier = MemoryPolicy.dictionary.makeTier(limits: TierLimits(count: 1, bytes: 1))
    for number in 0..<50 { tier.insert(try gradient(10, 10), for: "\(number)") }
    #expect(tier.metrics.objectCount == 50)
    #expect(tier.metrics.memoryUsage == 50 * 400)
    #expect(tier.cover(for: "0") != nil)
    #expect(tier.shrink(toBytes: 10_000) == 0)
  }

  @Test func `a dictionary tier counts a repeated key once`() throws {
    let tier = MemoryPolicy.dictionary.makeTier(limits: TierLimits())
    tier.insert(try gradient(10, 10), for: "a")
    tier.insert(try gradient(5, 5), for: "a")
    #expect(tier.metrics.memoryUsage == 100)
    #expect(tier.remove("a"))
    tier.insert(try gradient(5, 5), for: "b")
    #expect(tier.shrink(toBytes: 0) == 100)
    #expect(tier.metrics.objectCount == 0)
  }
}

@Suite struct `cache metrics` {
  @Test func `the hit ratio is zero before the first request`() {
    #expect(CacheMetrics().hitRatio == 0)
  }

  @Test func `the hit ratio is hits divided by requests`() {
    var metrics = CacheMetrics()
    metrics.hitCount = 892
    metrics.missCount = 355
    #expect(metrics.totalRequests == 1247)
    // The case study's 892 hits of 1,247 requests.
    #expect(abs(metrics.hitRatio - 0.7153) < 0.0001)
  }
}
