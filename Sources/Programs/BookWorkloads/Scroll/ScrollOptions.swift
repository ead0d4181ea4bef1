internal import CoverCache
internal import CoverPalette
internal import PerfWorkload

/// What the variants of a scroll differ in.
struct ScrollOptions {
  /// Where covers are loaded.
  enum Loading: String, CaseIterable {
    /// By the frame that shows them first.
    case mainThread = "main-thread"
    /// By the cache's threads, while placeholders are shown.
    case async
  }

  /// How cells are placed.
  enum Layout: String, CaseIterable {
    /// Those of all books, anew for each frame.
    case everyFrame = "every-frame"
    /// Those that are visible, by arithmetic.
    case visibleOnly = "visible-only"
  }

  /// Where a cell's gradient comes from.
  enum Palettes: String, CaseIterable {
    /// The cover's colours are counted each time that a cell appears.
    case uncached
    /// A thread in the background counts the cover's colours each time that a cell appears.
    case background
    /// The loader threads count them once.
    case cached
  }

  let cache: CoverCacheConfiguration
  let loading: Loading
  let layout: Layout
  let palettes: Palettes
  let extractor: PaletteExtractor
  let prefetch: Int
  let usesDiskTier: Bool
  let diskByteLimit: Int
  let isScrollAware: Bool

  static let parameters: [ParameterDeclaration] = [
    .choice("preset", default: CachePreset.epilogue, "Whose limits the cache has."),
    .choice("decode", default: CoverDecoding.scaled, "To which size covers are decoded."),
    .choice("cache", default: MemoryPolicy.lru, "What holds decoded covers."),
    .choice("cost", default: CoverCost.bytes, "What a cover counts for against the cache's limit."),
    .choice("loading", default: Loading.async, "Which thread loads covers."),
    .choice("layout", default: Layout.visibleOnly, "Which cells each frame places."),
    .choice("palettes", default: Palettes.cached, "Where a cell's gradient comes from."),
    .choice("extraction", default: PaletteMethod.blockMeans, "How colours are got from a cover."),
    .int("prefetch", default: 20, in: 0...500, "Books loaded ahead, in the scroll's direction."),
    .int("loads", default: 3, in: 1...64, "Covers loaded at one time."),
    .int("nice", default: 19, in: 0...19, "Nice value of the loader threads."),
    .bool("disk_tier", default: true, "Whether small covers are kept on the disk."),
    .choice("disk_content", default: DiskContent.scaled, "What of a cover is kept on the disk."),
    .bool("scroll_aware", default: false, "Whether nothing is loaded while the list is fast."),
  ]

  /// Reads the options from parameters that `parameters` declares.
  init(_ parameters: ParameterValues) throws(WorkloadError) {
    let preset: CachePreset = try parameters.choice("preset")
    var cache = preset.configuration
    cache.decoding = try parameters.choice("decode")
    cache.policy = try parameters.choice("cache")
    cache.cost = try parameters.choice("cost")
    cache.diskContent = try parameters.choice("disk_content")
    cache.concurrentLoads = try parameters.int("loads")
    cache.loaderNice = try parameters.int("nice")
    cache.thumbnailSize = ShelfLayout.cover
    self.cache = cache
    loading = try parameters.choice("loading")
    layout = try parameters.choice("layout")
    palettes = try parameters.choice("palettes")
    let method: PaletteMethod = try parameters.choice("extraction")
    extractor = PaletteExtractor(method: method, counting: method.usualCounting)
    prefetch = try parameters.int("prefetch")
    diskByteLimit = preset.diskByteLimit ?? 0
    // Decoded covers of full size are not encoded again for the disk.
    usesDiskTier =
      try parameters.bool("disk_tier") && diskByteLimit > 0
      && (cache.decoding == .scaled || cache.diskContent == .encoded)
    isScrollAware = try parameters.bool("scroll_aware")
  }
}

extension PaletteMethod {
  /// What colours are counted in: the case study's methods have its cube of nested arrays.
  fileprivate var usualCounting: ColorCounting {
    switch self {
    case .singleScale, .multiScale, .quarterScale: .nestedCube
    case .everyPixel, .scaledDecode, .blockMeans: .meanCube
    }
  }
}
