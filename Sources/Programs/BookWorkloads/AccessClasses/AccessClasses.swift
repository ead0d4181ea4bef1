internal import CoverCache
internal import PerfWorkload

/// Serves photos for three uses, each with its own size, from one cache tier or from several.
struct AccessClasses: Workload {
  /// The tiers of the cache.
  enum Tiers: String, CaseIterable {
    /// One tier for all uses.
    case shared
    /// One tier for the grid with a third of the bytes and one for pages with the rest; none for
    /// settings.
    case byClass = "by-class"
  }

  static let name = "book.classes"
  static let summary =
    "Requests thumbnails, screen-sized pages and settings photos from a cache."
  static let photos = Parameter("photos", default: 2_000, in: 1...100_000, "Photos in the grid.")
  static let requests = Parameter(
    "requests", default: 6_000, in: 1...1_000_000, "Number of requests.")
  static let pageWidth = Parameter(
    "page_width", default: 1_170, in: 1...8_000,
    "Width of a page in pixels; its height is 13/6 of it.")
  static let limit = Parameter(
    "limit", default: 100, in: 1...10_000, "Limit of all tiers together, in MiB.")
  static let objects = Parameter(
    "objects", default: 500, in: 1...100_000, "Limit of objects per tier.")
  static let tiers = Parameter("tiers", default: Tiers.shared, "Tiers of the cache.")
  static let policy = Parameter(
    "policy", default: MemoryPolicy.lru, "Replacement policy of the tiers.")
  static let cost = Parameter(
    "cost", default: CoverCost.bytes, "Cost of a photo against the limit.")
  static let parameters: [any WorkloadParameter] = [
    photos, requests, pageWidth, limit, objects, tiers, policy, cost,
  ]
  static let counters: [CounterDeclaration] = [
    .ratio(
      "cache.hit_ratio", .higher, isExact: true, "Share of the requests that memory answered."),
    .ratio(
      "cache.byte_hit_ratio", .higher, isExact: true,
      "Share of the requested bytes that memory supplied."),
    .ratio(
      "classes.grid_hit_ratio", .higher, isExact: true,
      "Share of the grid's requests that memory answered."),
    .ratio(
      "classes.page_hit_ratio", .higher, isExact: true,
      "Share of the pages' requests that memory answered."),
    .ratio(
      "classes.recent_hit_ratio", .higher, isExact: true,
      "Share of the requests for one of the last ten photos that memory answered."),
    .bytes(
      "classes.made_bytes", .lower, isExact: true,
      "Bytes of the photos that were created because they were not in memory."),
    .bytes(
      "cache.most_bytes", .lower, isExact: true, "Largest total size of the photos in memory."),
    .count("cache.objects", .neutral, isExact: true, "Photos in memory at the end."),
  ]

  private let requests: [ClassedRequest]
  /// The tier of each use; photos of a use without a tier are created for each request.
  private let tiers: [AccessClass: any MemoryTier]

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    requests = ClassedSession.requests(
      photos: parameters[Self.photos], length: parameters[Self.requests],
      pageWidth: parameters[Self.pageWidth], seed: context.seed)
    let policy: MemoryPolicy = parameters[Self.policy]
    let cost: CoverCost = parameters[Self.cost]
    let bytes = parameters[Self.limit] << 20
    let objects = parameters[Self.objects]
    func tier(bytes: Int) -> any MemoryTier {
      policy.makeTier(limits: TierLimits(count: objects, bytes: bytes), cost: cost)
    }
    switch parameters[Self.tiers] {
    case .shared:
      let shared = tier(bytes: bytes)
      tiers = [.grid: shared, .page: shared, .settings: shared]
    case .byClass: tiers = [.grid: tier(bytes: bytes / 3), .page: tier(bytes: bytes * 2 / 3)]
    }
  }

  func measure(_ context: MeasurementContext) throws {
    var seen = Seen()
    var most = 0
    try Phase.session.measure {
      for request in requests {
        let tier = tiers[request.use]
        let isHit = tier?.cover(for: request.key) != nil
        seen.add(request, isHit: isHit)
        if !isHit {
          let photo = try Self.photo(request)
          tier?.insert(photo, for: request.key)
          most = max(most, held.reduce(0) { $0 + $1.memoryUsage })
        }
      }
    }
    seen.report(to: context)
    context.report("cache.most_bytes", most)
    context.report("cache.objects", held.reduce(0) { $0 + $1.objectCount })
  }

  /// The metrics of each tier; a shared tier counts once.
  private var held: [CacheMetrics] {
    var known: [any MemoryTier] = []
    for use in AccessClass.allCases {
      if let tier = tiers[use], !known.contains(where: { $0 === tier }) { known.append(tier) }
    }
    return known.map(\.metrics)
  }

  /// Creates a photo and writes to all of its memory pages.
  private static func photo(_ request: ClassedRequest) throws(CoverError) -> PixelBuffer {
    try PixelBuffer(size: request.size) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: request.photo))
    }
  }
}

/// Counts the requests that memory answered.
private struct Seen {
  private struct Share {
    var hits = 0
    var all = 0

    mutating func add(_ amount: Int, isHit: Bool) {
      all += amount
      if isHit { hits += amount }
    }

    /// The share of hits; 1 when there is no request.
    var ratio: Double { all == 0 ? 1 : Double(hits) / Double(all) }
  }

  private static let recentCount = 10

  private var requests = Share()
  private var bytes = Share()
  private var recent = Share()
  private var uses: [AccessClass: Share] = [:]
  /// The most recently requested photos, the latest at the end.
  private var latest: [String] = []

  mutating func add(_ request: ClassedRequest, isHit: Bool) {
    requests.add(1, isHit: isHit)
    bytes.add(request.size.width * request.size.height * 4, isHit: isHit)
    uses[request.use, default: Share()].add(1, isHit: isHit)
    let key = request.key
    if let index = latest.firstIndex(of: key) {
      recent.add(1, isHit: isHit)
      latest.remove(at: index)
    }
    latest.append(key)
    if latest.count > Self.recentCount { latest.removeFirst() }
  }

  func report(to context: MeasurementContext) {
    context.report("cache.hit_ratio", requests.ratio)
    context.report("cache.byte_hit_ratio", bytes.ratio)
    context.report("classes.grid_hit_ratio", uses[.grid, default: Share()].ratio)
    context.report("classes.page_hit_ratio", uses[.page, default: Share()].ratio)
    context.report("classes.recent_hit_ratio", recent.ratio)
    context.report("classes.made_bytes", bytes.all - bytes.hits)
  }
}
