internal import CoverCache
internal import PerfWorkload

/// Opens the pages of books one by one and keeps their covers, until the end or until the harness
/// kills the process.
///
/// In the case study a decoded cover takes 24 MB, the device kills at 1.4 GB and the caches have
/// limits of 50 and 10 MB. Here all limits are scaled down with the size of the covers.
struct Browse: Workload {
  static let name = "book.browse"
  static let summary = "Opens the pages of books one by one and keeps their covers."
  static let covers = Parameter(
    "covers", default: 100, in: 1...10_000, "Books whose pages are opened.")
  static let width = Parameter(
    "width", default: 1_000, in: 16...4_000,
    "Width of a cover file in pixels; its height is 3/2 of it.")
  static let decode = Parameter(
    "decode", default: CoverDecoding.scaled, "Size to which covers are decoded.")
  static let cache = Parameter(
    "cache", default: MemoryPolicy.lru, "Replacement policy of the cache.")
  static let parameters: [any WorkloadParameter] = [covers, width, decode, cache]
  static let counters: [CounterDeclaration] = [
    .bytes("cache.bytes", .lower, "Size of the decoded covers in memory at the end."),
    .bytes("cache.most_bytes", .lower, "Largest size of the decoded covers in memory."),
    .count("cache.objects", .neutral, "Decoded covers in memory at the end."),
    .count("cache.evictions", .lower, "Covers that were evicted to keep a limit."),
    .time("browse.page_time", .lower, scale: .ratio, "Mean time to load the cover of a page."),
  ]

  /// The number of pixels of a cover that takes 24 MB.
  private static let originalPixels = 6_000_000

  private let cache: CoverCache
  private let covers: Int
  private let isWhole: Bool

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let width = parameters[Self.width]
    let files = try PaletteCovers(context, width: width).load()
    let part = Double(width * (width * 3 / 2)) / Double(Self.originalPixels)
    var configuration = CoverCacheConfiguration()
    configuration.policy = parameters[Self.cache]
    configuration.decoding = parameters[Self.decode]
    configuration.imageLimits = Self.smaller(configuration.imageLimits, part)
    configuration.thumbnailLimits = Self.smaller(configuration.thumbnailLimits, part)
    cache = try CoverCache(
      source: RepeatedCovers(files: files.map(\.bytes)), configuration: configuration)
    covers = parameters[Self.covers]
    isWhole = configuration.decoding == .full
  }

  func measure(_ context: MeasurementContext) throws {
    var most = 0
    var watch = Stopwatch()
    for book in 0..<covers {
      try watch.time {
        // A cover of full size serves both the shelf and the page.
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

  /// The metrics of both tiers together.
  private var held: CacheMetrics {
    var sum = cache.metrics(of: .thumbnail)
    let images = cache.metrics(of: .image)
    sum.memoryUsage += images.memoryUsage
    sum.objectCount += images.objectCount
    sum.evictionCount += images.evictionCount
    return sum
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    SetupResult(files: try PaletteCovers(context, width: context[width]).setUp(context))
  }

  private static func smaller(_ limits: TierLimits, _ part: Double) -> TierLimits {
    TierLimits(count: limits.count, bytes: Int(Double(limits.bytes) * part))
  }
}

/// A cover source that maps any number of numeric keys to a few files.
struct RepeatedCovers: CoverSource {
  let files: [[UInt8]]

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    guard let number = Int(key), number >= 0, !files.isEmpty else {
      throw .notFound(cover: key)
    }
    return files[number % files.count]
  }
}
