import CoverCache
import Testing

@Suite struct `policies and their papers` {
  // Capacities around multiples of 10 and 100, where shares of 1, 10, 80 and 90 % are rounded.
  @Test(arguments: AccessTrace.allCases, [1, 4, 10, 15, 30, 100, 101])
  func `each policy has exactly the hits of a simulation of its paper`(
    trace: AccessTrace, capacity: Int
  ) throws {
    let requests = trace.requests(books: 150, length: 2500, seed: 11)
    let limits = TierLimits(count: capacity)
    #expect(
      try hits(.lru, requests, limits) == PaperCaches.lru(requests, capacity: capacity))
    #expect(
      try hits(.sieve, requests, limits) == PaperCaches.sieve(requests, capacity: capacity))
    #expect(
      try hits(.s3FIFO, requests, limits) == PaperCaches.s3FIFO(requests, capacity: capacity))
    #expect(
      try hits(.tinyLFU, requests, limits, reportsEach: true)
        == PaperCaches.tinyLFU(requests, capacity: capacity))
  }

  // 40,000 bytes are a hundred covers of 400 bytes; the rest of the limit admits no further one.
  @Test(arguments: AccessTrace.allCases, MemoryPolicy.bounded)
  func `covers of one size have the same hits under a limit of bytes and of objects`(
    trace: AccessTrace, policy: MemoryPolicy
  ) throws {
    let requests = trace.requests(books: 300, length: 4000, seed: 2)
    let byCount = try hits(policy, requests, TierLimits(count: 100), pixels: 100)
    for limits in [TierLimits(bytes: 40_399), TierLimits(count: 100, bytes: 40_399)] {
      #expect(try hits(policy, requests, limits, pixels: 100) == byCount)
    }
  }

  // A tier reports look-ups together, in the order of the last ones. Only W-TinyLFU depends on that:
  // some uses are counted after a halving instead of before it.
  @Test(arguments: AccessTrace.allCases)
  func `look-ups that are reported together change few decisions`(trace: AccessTrace) throws {
    let requests = trace.requests(books: 400, length: 4000, seed: 3)
    for policy in MemoryPolicy.bounded {
      let each = try hits(policy, requests, TierLimits(count: 50), reportsEach: true)
      let together = try hits(policy, requests, TierLimits(count: 50))
      // Half a percentage point of 4,000 requests.
      #expect(abs(each - together) <= (policy == .tinyLFU ? 20 : 0), "\(policy)")
    }
  }

  @Test(arguments: AccessTrace.allCases)
  func `a full main queue of S3-FIFO may be trimmed at once or at the next eviction`(
    trace: AccessTrace
  ) throws {
    let requests = trace.requests(books: 400, length: 4000, seed: 3)
    #expect(
      try hits(.s3FIFO, requests, TierLimits(count: 50))
        == PaperCaches.s3FIFO(requests, capacity: 50, isTrimmedAtOnce: true))
  }

  // Hits in percent of an independent simulation; the main queue is empty before the first turn.
  @Test(arguments: [(200, 6000, 4.8), (100, 40_000, 1.3)])
  func `S3-FIFO forgets the books of a round trip as its paper does`(
    capacity: Int, length: Int, simulated: Double
  ) throws {
    let requests = AccessTrace.roundTrips.requests(books: 1000, length: length, seed: 0)
    let found = try hits(.s3FIFO, requests, TierLimits(count: capacity))
    #expect(abs(100 * Double(found) / Double(length) - simulated) <= 0.05)
  }
}

@Suite struct `the ghost queue of S3-FIFO` {
  /// Whether a scan of new covers leaves a cover alone, because it is in the main queue.
  private func survives(_ key: String, in tier: any MemoryTier, pixels: Int) throws -> Bool {
    for number in 0..<20 {
      tier.insert(try gradient(pixels, 1), for: "scan \(number) after \(key)")
    }
    return tier.contains(key)
  }

  // Of ten objects nine fit into the main queue, which is empty until a key returns.
  @Test(arguments: [TierLimits(count: 10), TierLimits(bytes: 4000)])
  func `the ghost queue has the main queue's capacity however short that queue is`(
    limits: TierLimits
  ) throws {
    for (age, isKnown) in [(0, true), (7, true), (8, false), (9, false)] {
      let tier = MemoryPolicy.s3FIFO.makeTier(limits: limits)
      for number in 0..<40 { tier.insert(try gradient(100, 1), for: "\(number)") }
      // 29 was evicted last. The return of a key evicts 30, which is then the latest ghost.
      let returning = "\(29 - age)"
      tier.insert(try gradient(100, 1), for: returning)
      #expect(try survives(returning, in: tier, pixels: 100) == isKnown, "\(age) evictions ago")
    }
  }

  @Test func `the ghost queue outlives a shortage of memory`() throws {
    let tier = MemoryPolicy.s3FIFO.makeTier(limits: TierLimits(bytes: 4000))
    for number in 0..<15 { tier.insert(try gradient(100, 1), for: "\(number)") }
    #expect(tier.shrink(toBytes: 400) == 3600)
    // The last nine of the 14 evicted covers are known: 5 to 13.
    tier.insert(try gradient(100, 1), for: "6")
    tier.insert(try gradient(100, 1), for: "4")
    for number in 0..<8 { tier.insert(try gradient(100, 1), for: "filler \(number)") }
    #expect(try survives("6", in: tier, pixels: 100))
    #expect(!tier.contains("4"))
  }

  @Test func `large covers shorten the ghost queue`() throws {
    let tier = MemoryPolicy.s3FIFO.makeTier(limits: TierLimits(bytes: 4000))
    for number in 0..<20 { tier.insert(try gradient(100, 1), for: "\(number)") }
    // Two covers of 2,000 bytes fit, so one key is remembered instead of nine.
    for number in 0..<4 { tier.insert(try gradient(500, 1), for: "large \(number)") }
    tier.insert(try gradient(500, 1), for: "large 0")
    tier.insert(try gradient(100, 1), for: "9")
    #expect(try !survives("9", in: tier, pixels: 100))
  }
}

/// Returns the number of requests that a tier answers.
///
/// With `reportsEach`, the policy receives each look-up at once.
func hits(
  _ policy: MemoryPolicy, _ requests: [Int], _ limits: TierLimits, pixels: Int = 1,
  reportsEach: Bool = false
) throws -> Int {
  let tier = policy.makeTier(limits: limits)
  let cover = try PixelBuffer(size: PixelSize(width: pixels, height: 1)) { _ in }
  for book in requests {
    if tier.cover(for: "\(book)") == nil { tier.insert(cover, for: "\(book)") }
    // Reading the metrics reports all pending look-ups.
    if reportsEach { _ = tier.metrics }
  }
  return tier.metrics.hitCount
}
