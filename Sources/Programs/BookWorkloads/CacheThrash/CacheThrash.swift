internal import CoverCache
internal import Dispatch
internal import PerfWorkload

/// Replays a trace of requests through a cache tier that holds covers of real size.
struct CacheThrash: Workload {
  static let name = "book.cache"
  static let summary = "Requests covers from a cache in an order that suits it well or badly."
  static let books = Parameter("books", default: 1_000, in: 1...10_000, "Books in the trace.")
  static let requests = Parameter(
    "requests", default: 10_000, in: 1...1_000_000, "Number of requests.")
  static let trace = Parameter("trace", default: AccessTrace.fling, "Order of the requests.")
  static let policy = Parameter(
    "policy", default: MemoryPolicy.lru, "Replacement policy of the tier.")
  static let capacity = Parameter(
    "capacity", default: 200, in: 1...10_000, "Limit of covers in a tier.")
  static let key = Parameter(
    "key", default: CoverKeyForm.stored,
    "Form of the look-up key in timed requests; all but stored use an LRU cache.")
  static let queued = Parameter(
    "queued", default: false, "Whether a serial queue stores covers later.")
  static let access = Parameter(
    "access", default: CacheAccess.direct,
    "How two concurrent readers access shared covers.")
  static let parameters: [any WorkloadParameter] = [
    books, requests, trace, policy, capacity, key, queued, access,
  ]
  static let counters: [CounterDeclaration] = [
    .ratio(
      "cache.hit_ratio", .higher, isExact: true, "Share of the requests that memory answered."),
    .ratio(
      "cache.belady_hit_ratio", .neutral, isExact: true,
      "Hit ratio of an optimal cache with this capacity (Belady)."),
    .count("cache.evictions", .lower, isExact: true, "Covers that were evicted to keep the limit."),
    .bytes("cache.bytes", .lower, isExact: true, "Size of the covers in memory at the end."),
    .count("cache.objects", .neutral, isExact: true, "Covers in memory at the end."),
    .time(
      "cache.request_time", .lower, scale: .ratio,
      "Mean time of a request: look-up and, after a miss, insertion."),
    .ratio(
      "cache.read_after_write", .higher,
      "Share of the covers that were found right after they were stored."),
    .time(
      "cache.contended_time", .lower, scale: .ratio,
      "Mean time of a request of two concurrent readers, mostly hits."),
    .count(
      "cache.lost", .lower,
      "Covers that concurrent readers stored and that are missing at the end."),
  ]

  private static let cover = PixelSize(width: 200, height: 300)
  private static let timedRounds = 20

  private let keys: [String]
  private let requests: [Int]
  private let policy: MemoryPolicy
  private let limits: TierLimits
  private let key: CoverKeyForm
  private let isQueued: Bool
  private let access: CacheAccess

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let books = parameters[Self.books]
    let trace: AccessTrace = parameters[Self.trace]
    requests = trace.requests(books: books, length: parameters[Self.requests], seed: context.seed)
    keys = (0..<books).map { BookGenerator.coverName(of: $0) }
    policy = parameters[Self.policy]
    limits = TierLimits(count: parameters[Self.capacity])
    key = parameters[Self.key]
    isQueued = parameters[Self.queued]
    access = parameters[Self.access]
  }

  func measure(_ context: MeasurementContext) throws {
    let tier = policy.makeTier(limits: limits)
    try Phase.replay.measure {
      for book in requests where tier.cover(for: keys[book]) == nil {
        tier.insert(try cover(of: book), for: keys[book])
      }
    }
    let metrics = tier.metrics
    context.report("cache.hit_ratio", metrics.hitRatio)
    context.report("cache.evictions", metrics.evictionCount)
    context.report("cache.bytes", metrics.memoryUsage)
    context.report("cache.objects", metrics.objectCount)
    context.report("cache.request_time", try Phase.time.measure { try meanRequestTime() })
    let queue = isQueued ? DispatchQueue(label: "covers", qos: .utility) : nil
    context.report(
      "cache.read_after_write",
      Self.readAfterWrite(
        keys, cover: try cover(of: 0), in: policy.makeTier(limits: TierLimits()), by: queue))
    queue?.sync {}
    let contended = try Phase.contend.measure {
      ContendedRequests(keys: keys, cover: try cover(of: 0), access: access, policy: policy)
    }
    context.report("cache.contended_time", contended.time)
    context.report("cache.lost", contended.lost)
    let optimum = OptimalCache.hits(requests, capacity: limits.count)
    context.report("cache.belady_hit_ratio", Double(optimum) / Double(requests.count))
  }

  /// Creates a cover and writes to all of its memory pages.
  private func cover(of book: Int) throws(CoverError) -> PixelBuffer {
    try PixelBuffer(size: Self.cover) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: book))
    }
  }

  /// Replays the trace with one cover for all books, so that only the tier takes time.
  private func meanRequestTime() throws -> Double {
    let cover = try cover(of: 0)
    let size = Self.cover
    let began = ContinuousClock.now
    for _ in 0..<Self.timedRounds {
      switch key {
      case .stored:
        let tier = policy.makeTier(limits: limits)
        for book in requests where tier.cover(for: keys[book]) == nil {
          tier.insert(cover, for: keys[book])
        }
      case .formatted:
        var cache = KeyedCache<String>(count: limits.count)
        for book in requests {
          cache.request("\(keys[book])_\(size.width)x\(size.height)", orElse: cover)
        }
      case .structure:
        var cache = KeyedCache<SizedCover>(count: limits.count)
        for book in requests { cache.request(SizedCover(book: book, size: size), orElse: cover) }
      }
    }
    let elapsed = (ContinuousClock.now - began).nanoseconds
    return Double(elapsed) / Double(Self.timedRounds * requests.count)
  }
}

extension CacheThrash {
  /// Stores covers, by a queue if there is one, and looks up each one immediately.
  ///
  /// - Returns: The share of the covers that were found.
  static func readAfterWrite(
    _ keys: [String], cover: PixelBuffer, in tier: any MemoryTier, by queue: DispatchQueue?
  ) -> Double {
    var found = 0
    for key in keys {
      if let queue {
        queue.async { tier.insert(cover, for: key) }
      } else {
        tier.insert(cover, for: key)
      }
      if tier.contains(key) { found += 1 }
    }
    return Double(found) / Double(keys.count)
  }
}
