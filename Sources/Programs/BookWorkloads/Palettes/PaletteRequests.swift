internal import CoverCache
internal import CoverPalette
internal import LibraryStore
internal import PerfWorkload

/// Asks for palettes as a session of the app does, and times each tier that answers.
struct PaletteRequests: Workload {
  /// Which tiers there are.
  enum Tiers: String, CaseIterable {
    /// Every request is an extraction.
    case none
    case memory
    /// Memory, then disk.
    case all
  }

  /// Where the gradient comes from that is drawn of each palette.
  enum Gradients: String, CaseIterable {
    /// It is drawn each time.
    case drawn
    /// Memory.
    case cached
  }

  static let name = "book.palettes"
  static let summary = "Asks for palettes of books, most of which were asked for before."
  static let parameters =
    DatasetRequest.parameters(books: 355) + [
      .int("requests", default: 1_247, in: 20...100_000, "How many palettes are asked for."),
      .choice("tiers", default: Tiers.all, "Which tiers keep palettes."),
      .choice("method", default: PaletteMethod.blockMeans, "How a palette is extracted."),
      .choice(
        "gradients", default: Gradients.cached, "Where the gradient of a palette comes from."),
      .int("days", default: 1, in: 0...10_000, "Days since the session that filled the disk."),
    ]
  static let counters = [
    CounterDeclaration(
      "palettes.from_memory", unit: .count, direction: .higher, isDeterministic: true,
      "Palettes that were in memory."),
    CounterDeclaration(
      "palettes.from_disk", unit: .count, direction: .higher, isDeterministic: true,
      "Palettes that were on disk."),
    CounterDeclaration(
      "palettes.extracted", unit: .count, direction: .lower, isDeterministic: true,
      "Palettes that were made from covers."),
    CounterDeclaration(
      "palettes.memory_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time of a palette that was in memory."),
    CounterDeclaration(
      "palettes.disk_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time of a palette that was on disk."),
    CounterDeclaration(
      "palettes.extraction_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time of a palette that was made, its cover's file read."),
    CounterDeclaration(
      "palettes.mean_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time of all requests."),
    CounterDeclaration(
      "gradients.hit_ratio", unit: .ratio, direction: .higher, isDeterministic: true,
      "Gradients that were in memory."),
    CounterDeclaration(
      "gradients.time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time of a gradient, which is no part of a request's."),
  ]

  /// When the earlier session was: any time will do.
  private static let epoch = Duration.seconds(1_700_000_000)

  private let trace: PaletteTrace
  private let covers: [String]
  private let source: FileCoverSource
  private let cache: PaletteCache?
  private let extractor: PaletteExtractor
  private let gradients: Gradients

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = try BookDataset(context)
    trace = PaletteTrace(count: try parameters.int("requests"), seed: context.seed)
    let names = try dataset.allBooks().compactMap(\.cover)
    guard !names.isEmpty else { throw DatasetError.noBooks(path: dataset.folder) }
    // A library of few books has the same ones again under other names.
    covers = (0..<trace.books).map { names[$0 % names.count] }
    source = dataset.covers
    extractor = PaletteExtractor(method: try parameters.choice("method"))
    gradients = try parameters.choice("gradients")
    let now = Self.epoch + .seconds(86_400 * (try parameters.int("days")))
    let folder = "\(context.scratchDirectory)/palettes"
    switch try parameters.choice("tiers") as Tiers {
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
      // A tier that answered nothing has no time.
      if !times.isEmpty { context.report(tier.time, Self.mean(times)) }
    }
    context.report("palettes.mean_time", Self.mean(times.values.flatMap(\.self)))
    try drawGradients(of: palettes, context)
  }

  /// Draws the gradient of each palette, after all of them: its pixels would be in the way of the
  /// requests' times.
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

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }

  private func palette(of book: Int) throws(CoverError) -> Palette {
    guard let cache else {
      let bytes = try source.encodedCover(for: covers[book])
      return try Phase.palette.measure { () throws(CoverError) in
        try extractor.palette(of: bytes, cover: covers[book])
      }
    }
    return try cache.palette(forEncoded: "\(book)") { () throws(CoverError) in
      try Phase.palette.measure { () throws(CoverError) in
        try source.encodedCover(for: covers[book])
      }
    }
  }

  /// Leaves on disk what an earlier session has seen.
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
    let disk = try DiskTier(
      directory: folder, maximumAge: PaletteCache.maximumAge, clock: clock)
    return PaletteCache(
      extractor: extractor, disk: disk, count: PaletteTrace.memory, clock: clock)
  }

  private static func mean(_ times: [Int]) -> Double {
    Double(times.reduce(0, +)) / Double(times.count)
  }
}

extension PaletteRequests {
  /// What answers a request.
  fileprivate enum Tier: CaseIterable {
    case memory
    case disk
    case extraction

    var count: String {
      switch self {
      case .memory: "palettes.from_memory"
      case .disk: "palettes.from_disk"
      case .extraction: "palettes.extracted"
      }
    }

    var time: String {
      switch self {
      case .memory: "palettes.memory_time"
      case .disk: "palettes.disk_time"
      case .extraction: "palettes.extraction_time"
      }
    }
  }
}
