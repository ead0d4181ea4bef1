internal import CoverCache
internal import CoverPalette
internal import LibraryStore
internal import PerfWorkload

/// Requests palettes like a session of the app, and times each tier that answers.
struct PaletteRequests: LibraryWorkload {
  /// The tiers that keep palettes.
  enum Tiers: String, CaseIterable {
    /// No tier; every request extracts a palette.
    case none
    case memory
    /// Memory and disk.
    case all
  }

  /// The source of the gradient that is drawn for each palette.
  enum Gradients: String, CaseIterable {
    /// The gradient is drawn each time.
    case drawn
    /// The gradient is kept in memory.
    case cached
  }

  static let name = "book.palettes"
  static let summary = "Requests palettes of books, most of which were requested before."
  static let requests = Parameter(
    "requests", default: 1_247, in: 20...100_000, "Number of requests.")
  static let tiers = Parameter("tiers", default: Tiers.all, "Tiers that keep palettes.")
  static let method = Parameter(
    "method", default: PaletteMethod.blockMeans, "Method of extracting a palette.")
  static let gradients = Parameter(
    "gradients", default: Gradients.cached, "Source of the gradient of a palette.")
  static let days = Parameter(
    "days", default: 1, in: 0...10_000, "Days since the session that filled the disk tier.")
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 355) + [requests, tiers, method, gradients, days]
  static let counters: [CounterDeclaration] = [
    .count("palettes.from_memory", .higher, isExact: true, "Palettes that were in memory."),
    .count("palettes.from_disk", .higher, isExact: true, "Palettes that were on disk."),
    .count(
      "palettes.extracted", .lower, isExact: true, "Palettes that were extracted from covers."),
    .time(
      "palettes.memory_time", .lower, scale: .ratio,
      "Mean time of a request that memory answered."),
    .time(
      "palettes.disk_time", .lower, scale: .ratio,
      "Mean time of a request that the disk answered."),
    .time(
      "palettes.extraction_time", .lower, scale: .ratio,
      "Mean time of a request that read and extracted a cover."),
    .time("palettes.mean_time", .lower, scale: .ratio, "Mean time of all requests."),
    .ratio("gradients.hit_ratio", .higher, isExact: true, "Gradients that were in memory."),
    .time(
      "gradients.time", .lower, scale: .ratio,
      "Mean time of a gradient, which is not part of a request."),
  ]

  /// The tier that answers a request.
  private enum Tier: String, CaseIterable {
    case memory
    case disk
    case extraction

    var count: String { self == .extraction ? "palettes.extracted" : "palettes.from_\(rawValue)" }
  }

  /// The time of the earlier session, an arbitrary date.
  private static let epoch = Duration.seconds(1_700_000_000)

  private let trace: PaletteTrace
  private let covers: [String]
  private let source: FileCoverSource
  private let cache: PaletteCache?
  private let extractor: PaletteExtractor
  private let gradients: Gradients

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = BookDataset(context)
    trace = PaletteTrace(count: parameters[Self.requests], seed: context.seed)
    let names = try dataset.allBooks().compactMap(\.cover)
    guard !names.isEmpty else { throw DatasetError.noBooks(path: dataset.folder) }
    // If the library has too few books, its covers repeat under other names.
    covers = (0..<trace.books).map { names[$0 % names.count] }
    source = dataset.covers
    extractor = PaletteExtractor(method: parameters[Self.method])
    gradients = parameters[Self.gradients]
    let now = Self.epoch + .seconds(86_400 * parameters[Self.days])
    let folder = "\(context.scratchDirectory)/palettes"
    switch parameters[Self.tiers] {
    case .none: cache = nil
    case .memory: cache = PaletteCache(extractor: extractor, clock: CoverClock { now })
    case .all:
      try Self.fill(folder, trace, covers, source)
      cache = try Self.open(folder, extractor, at: now)
    }
  }

  func measure(_ context: MeasurementContext) throws {
    var times: [Tier: [Int]] = [:]
    var palettes: [Palette] = []
    for book in trace.requests {
      let before = cache.map { ($0.diskHitCount, $0.extractionCount) } ?? (0, 0)
      let began = ContinuousClock.now
      palettes.append(try palette(of: book))
      let elapsed = (ContinuousClock.now - began).nanoseconds
      let after = cache.map { ($0.diskHitCount, $0.extractionCount) } ?? (0, 1)
      let tier: Tier =
        after.1 > before.1 ? .extraction : after.0 > before.0 ? .disk : .memory
      times[tier, default: []].append(elapsed)
    }
    for tier in Tier.allCases {
      let times = times[tier] ?? []
      context.report(tier.count, times.count)
      // A tier that answered no request has no time.
      if !times.isEmpty { context.report("palettes.\(tier.rawValue)_time", Self.mean(times)) }
    }
    context.report("palettes.mean_time", Self.mean(times.values.flatMap(\.self)))
    try drawGradients(of: palettes, context)
  }

  /// Draws the gradients after all requests, because their pixels would disturb the times of the
  /// requests.
  private func drawGradients(of palettes: [Palette], _ context: MeasurementContext) throws {
    let cache =
      switch gradients {
      case .cached: GradientCache()
      case .drawn: GradientCache(limits: TierLimits(count: 0))
      }
    var watch = Stopwatch()
    for palette in palettes {
      try watch.time { _ = try cache.gradient(of: palette, size: ShelfLayout.cover) }
    }
    context.report("gradients.hit_ratio", cache.metrics.hitRatio)
    context.report("gradients.time", watch.mean)
  }

  private func palette(of book: Int) throws(CoverError) -> Palette {
    // The phase of the file is inside the other, which is then extraction and, in a cache, look-up.
    try Phase.palette.measure { () throws(CoverError) in
      guard let cache else {
        return try extractor.palette(of: try file(of: book), cover: covers[book])
      }
      return try cache.palette(forEncoded: "\(book)") { () throws(CoverError) in
        try file(of: book)
      }
    }
  }

  private func file(of book: Int) throws(CoverError) -> [UInt8] {
    try Phase.coverRead.measure { () throws(CoverError) in
      try source.encodedCover(for: covers[book])
    }
  }

  /// Stores the palettes of an earlier session on disk.
  private static func fill(
    _ folder: String, _ trace: PaletteTrace, _ covers: [String], _ source: FileCoverSource
  ) throws(CoverError) {
    let earlier = try open(folder, PaletteExtractor(), at: epoch)
    for book in 0..<trace.known {
      try earlier.palette(forEncoded: "\(book)") { () throws(CoverError) in
        try source.encodedCover(for: covers[book])
      }
    }
  }

  private static func open(
    _ folder: String, _ extractor: PaletteExtractor, at now: Duration
  ) throws(CoverError) -> PaletteCache {
    let clock = CoverClock { now }
    let disk = try DiskTier(directory: folder, maximumAge: PaletteCache.maximumAge, clock: clock)
    return PaletteCache(extractor: extractor, disk: disk, count: PaletteTrace.memory, clock: clock)
  }

  private static func mean(_ times: [Int]) -> Double {
    Double(times.reduce(0, +)) / Double(times.count)
  }
}
