internal import CoverCache
internal import Dispatch
internal import PerfWorkload

/// Replays a trace of requests through a tier of the cache, with covers of real size in it.
struct CacheThrash: Workload {
  static let name = "book.cache"
  static let summary = "Asks a cache for covers in an order that suits it well or badly."
  static let parameters: [ParameterDeclaration] = [
    .int("books", default: 1_000, in: 1...10_000, "Books that are asked for."),
    .int("requests", default: 10_000, in: 1...1_000_000, "How many requests there are."),
    .choice("trace", default: CacheTrace.fling, "In which order books are asked for."),
    .choice("policy", default: MemoryPolicy.lru, "What holds the covers."),
    .int("capacity", default: 200, in: 1...10_000, "Covers that a tier with limits may hold."),
    .choice(
      "key", default: CoverKeyForm.stored,
      "What covers are looked up by when requests are timed; other than stored, in an LRU cache."),
    .bool("queued", default: false, "Whether covers are stored later, by a serial queue."),
    .choice(
      "access", default: CacheAccess.direct,
      "How two readers at one time come to covers that they share."),
  ]
  static let counters = [
    CounterDeclaration(
      "cache.hit_ratio", unit: .ratio, direction: .higher, isDeterministic: true,
      "Requests that were answered from memory."),
    CounterDeclaration(
      "cache.belady_hit_ratio", unit: .ratio, direction: .neutral, isDeterministic: true,
      "What a cache of this capacity that knows the future answers."),
    CounterDeclaration(
      "cache.evictions", unit: .count, direction: .lower, isDeterministic: true,
      "Covers that left to keep the limit."),
    CounterDeclaration(
      "cache.bytes", unit: .bytes, direction: .lower, isDeterministic: true,
      "Bytes of covers held at the end."),
    CounterDeclaration(
      "cache.objects", unit: .count, direction: .neutral, isDeterministic: true,
      "Covers held at the end."),
    CounterDeclaration(
      "cache.request_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time of a request: the look-up and, after a miss, the insertion."),
    CounterDeclaration(
      "cache.read_after_write", unit: .ratio, direction: .higher,
      "Covers that were found right after they had been stored."),
    CounterDeclaration(
      "cache.contended_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time of a request of two readers at one time, most of which are answered."),
    CounterDeclaration(
      "cache.lost", unit: .count, direction: .lower,
      "Covers that two readers stored and that are not there in the end, without any limit."),
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
    let books = try parameters.int("books")
    let trace: CacheTrace = try parameters.choice("trace")
    requests = trace.requests(
      books: books, length: try parameters.int("requests"), seed: context.seed)
    keys = (0..<books).map { BookGenerator.coverName(of: $0) }
    policy = try parameters.choice("policy")
    limits = TierLimits(count: try parameters.int("capacity"))
    key = try parameters.choice("key")
    isQueued = try parameters.bool("queued")
    access = try parameters.choice("access")
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
    context.report("cache.read_after_write", try readAfterWrite())
    let contended = try Phase.contend.measure {
      ContendedRequests(keys: keys, cover: try cover(of: 0), access: access, policy: policy)
    }
    context.report("cache.contended_time", contended.time)
    context.report("cache.lost", contended.lost)
    let optimum = OptimalCache.hits(requests, capacity: limits.count)
    context.report("cache.belady_hit_ratio", Double(optimum) / Double(requests.count))
  }

  /// Makes a cover whose every page is in memory.
  private func cover(of book: Int) throws(CoverError) -> PixelBuffer {
    try PixelBuffer(size: Self.cover) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: book))
    }
  }

  /// Replays the trace with one cover for all, so that the time is the tier's alone.
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
  /// Stores covers, and looks each up at once.
  private func readAfterWrite() throws -> Double {
    let tier = policy.makeTier(limits: TierLimits())
    let queue = DispatchQueue(label: "covers", qos: .utility)
    let cover = try cover(of: 0)
    var found = 0
    for key in keys {
      if isQueued {
        queue.async { tier.insert(cover, for: key) }
      } else {
        tier.insert(cover, for: key)
      }
      if tier.contains(key) { found += 1 }
    }
    queue.sync {}
    return Double(found) / Double(keys.count)
  }
}

extension Phase {
  fileprivate static let replay: Phase = "replay"
  fileprivate static let time: Phase = "time"
  fileprivate static let contend: Phase = "contend"
}
