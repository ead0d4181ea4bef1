internal import CoverCache
internal import PerfWorkload

/// Answers a session of three uses, each with photos of its own size, from one tier or from several.
struct AccessClasses: Workload {
  /// Which tiers there are.
  enum Tiers: String, CaseIterable {
    /// One for all.
    case shared
    /// One for the grid and one for pages, with a third and two thirds of the bytes; none for settings.
    case byClass = "by-class"
  }

  static let name = "book.classes"
  static let summary =
    "Asks a cache for thumbnails, for pages as large as the screen, and for settings."
  static let parameters: [ParameterDeclaration] = [
    .int("photos", default: 2_000, in: 1...100_000, "Photos in the grid."),
    .int("requests", default: 6_000, in: 1...1_000_000, "How many requests there are."),
    .int(
      "page_width", default: 1_170, in: 1...8_000, "Width of a page; its height is 13/6 of it."),
    .int("limit", default: 100, in: 1...10_000, "The limit of all tiers together, in MiB."),
    .int("objects", default: 500, in: 1...100_000, "The limit of objects of each."),
    .choice("tiers", default: Tiers.shared, "Which tiers there are."),
    .choice("policy", default: MemoryPolicy.lru, "What holds the photos."),
    .choice("cost", default: CoverCost.bytes, "What a photo counts for."),
  ]
  static let counters = [
    ratio("cache.hit_ratio", "Requests that were answered from memory."),
    ratio("cache.byte_hit_ratio", "Bytes that were answered from memory, of all asked for."),
    ratio("classes.grid_hit_ratio", "Requests of the grid that were answered from memory."),
    ratio("classes.page_hit_ratio", "Requests of pages that were answered from memory."),
    ratio(
      "classes.recent_hit_ratio",
      "Requests for one of the last ten different photos that were answered from memory."),
    CounterDeclaration(
      "classes.made_bytes", unit: .bytes, direction: .lower, isDeterministic: true,
      "Bytes of photos that had to be made, since they were not in memory."),
    CounterDeclaration(
      "cache.most_bytes", unit: .bytes, direction: .lower, isDeterministic: true,
      "The most bytes of photos held."),
    CounterDeclaration(
      "cache.objects", unit: .count, direction: .neutral, isDeterministic: true,
      "Photos held at the end."),
  ]

  private let requests: [ClassedRequest]
  /// The tier of each use; a use without one has its photos made anew.
  private let tiers: [AccessClass: any MemoryTier]

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    requests = ClassedSession.requests(
      photos: try parameters.int("photos"), length: try parameters.int("requests"),
      pageWidth: try parameters.int("page_width"), seed: context.seed)
    let policy: MemoryPolicy = try parameters.choice("policy")
    let cost: CoverCost = try parameters.choice("cost")
    let bytes = try parameters.int("limit") << 20
    let objects = try parameters.int("objects")
    func tier(bytes: Int) -> any MemoryTier {
      policy.makeTier(limits: TierLimits(count: objects, bytes: bytes), cost: cost)
    }
    switch try parameters.choice("tiers", as: Tiers.self) {
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

  /// What each tier holds, a shared one once.
  private var held: [CacheMetrics] {
    var known: [any MemoryTier] = []
    for use in AccessClass.allCases {
      if let tier = tiers[use], !known.contains(where: { $0 === tier }) { known.append(tier) }
    }
    return known.map(\.metrics)
  }

  /// Makes a photo whose every page is in memory.
  private static func photo(_ request: ClassedRequest) throws(CoverError) -> PixelBuffer {
    try PixelBuffer(size: request.size) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: request.photo))
    }
  }

  private static func ratio(_ name: String, _ summary: String) -> CounterDeclaration {
    CounterDeclaration(name, unit: .ratio, direction: .higher, isDeterministic: true, summary)
  }
}

/// Counts which requests were answered from memory.
private struct Seen {
  private struct Share {
    var hits = 0
    var all = 0

    mutating func add(_ amount: Int, isHit: Bool) {
      all += amount
      if isHit { hits += amount }
    }

    /// 1 of nothing.
    var ratio: Double { all == 0 ? 1 : Double(hits) / Double(all) }
  }

  private static let recentCount = 10

  private var requests = Share()
  private var bytes = Share()
  private var recent = Share()
  private var uses: [AccessClass: Share] = [:]
  /// The last photos that were asked for, the latest at the end.
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

extension Phase {
  fileprivate static let session: Phase = "session"
}
