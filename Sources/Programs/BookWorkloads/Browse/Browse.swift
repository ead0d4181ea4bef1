internal import CoverCache
internal import PerfWorkload

/// Opens the pages of one book after the other and keeps the covers, well or badly, until the reader
/// has had enough or the harness kills the process.
///
/// The case study's covers take 24 MB each when decoded, its device kills at 1.4 GB, and its caches
/// have limits of 50 and 10 MB. Here all of that is as much smaller as the covers are.
struct Browse: Workload {
  static let name = "book.browse"
  static let summary = "Opens the pages of books one after the other, and keeps their covers."
  static let parameters: [ParameterDeclaration] = [
    .int("covers", default: 100, in: 1...10_000, "Books whose pages are opened."),
    .int(
      "width", default: 1_000, in: 16...4_000, "Width of a cover file; its height is 3/2 of it."),
    .choice("decode", default: CoverDecoding.scaled, "To which size covers are decoded."),
    .choice("cache", default: MemoryPolicy.lru, "What holds decoded covers."),
  ]
  static let counters = [
    CounterDeclaration(
      "cache.bytes", unit: .bytes, direction: .lower, "Bytes of decoded covers held at the end."),
    CounterDeclaration(
      "cache.most_bytes", unit: .bytes, direction: .lower,
      "The most bytes of decoded covers that were held."),
    CounterDeclaration(
      "cache.objects", unit: .count, direction: .neutral, "Decoded covers held at the end."),
    CounterDeclaration(
      "cache.evictions", unit: .count, direction: .lower, "Covers that left to keep a limit."),
    CounterDeclaration(
      "browse.page_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time until the cover of a page was there."),
  ]

  /// The pixels of the case study's covers of 24 MB.
  private static let originalPixels = 6_000_000

  private let cache: CoverCache
  private let covers: Int
  private let isWhole: Bool

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let files = try Self.files(context).load()
    let width = try parameters.int("width")
    let part = Double(width * (width * 3 / 2)) / Double(Self.originalPixels)
    var configuration = CoverCacheConfiguration()
    configuration.policy = try parameters.choice("cache")
    configuration.decoding = try parameters.choice("decode")
    configuration.imageLimits = Self.smaller(configuration.imageLimits, part)
    configuration.thumbnailLimits = Self.smaller(configuration.thumbnailLimits, part)
    cache = try CoverCache(
      source: RepeatedCovers(files: files.map(\.bytes)), configuration: configuration)
    covers = try parameters.int("covers")
    isWhole = configuration.decoding == .full
  }

  func measure(_ context: MeasurementContext) throws {
    var most = 0
    var watch = Stopwatch()
    for book in 0..<covers {
      try watch.time {
        // A cover with all its pixels is good for the shelf and for the page.
        _ = try Phase.decode.measure { try cache.load("\(book)", as: .thumbnail) }
        if !isWhole { _ = try Phase.decode.measure { try cache.load("\(book)", as: .image) } }
      }
      most = max(most, held.memoryUsage)
    }
    context.report("cache.bytes", held.memoryUsage)
    context.report("cache.most_bytes", most)
    context.report("cache.objects", held.objectCount)
    context.report("cache.evictions", held.evictionCount)
    context.report("browse.page_time", watch.mean)
  }

  /// Both tiers together.
  private var held: CacheMetrics {
    var sum = cache.metrics(of: .thumbnail)
    let images = cache.metrics(of: .image)
    sum.memoryUsage += images.memoryUsage
    sum.objectCount += images.objectCount
    sum.evictionCount += images.evictionCount
    return sum
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    let covers = try files(context)
    return SetupResult(
      files: try covers.prepare { context.progress("covers", done: $0, total: $1) })
  }

  private static func smaller(_ limits: TierLimits, _ part: Double) -> TierLimits {
    TierLimits(count: limits.count, bytes: Int(Double(limits.bytes) * part))
  }

  private static func files(_ context: some DatasetContext) throws -> PaletteCovers {
    PaletteCovers(
      width: try context.parameters.int("width"), isProgressive: false, seed: context.seed,
      cache: context.cacheDirectory)
  }
}

/// A source that has a few files for any number of keys, which are numbers.
struct RepeatedCovers: CoverSource {
  let files: [[UInt8]]

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    guard let number = Int(key), number >= 0, !files.isEmpty else {
      throw .notFound(cover: key)
    }
    return files[number % files.count]
  }
}
