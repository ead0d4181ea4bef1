internal import CoverCache
internal import CoverPalette
internal import PerfWorkload

/// The options that distinguish the variants of a scroll.
struct ScrollOptions {
  /// The thread that loads covers.
  enum Loading: String, CaseIterable {
    /// The frame thread, in the first frame that shows the cover.
    case mainThread = "main-thread"
    /// The threads of the cache, while placeholders are displayed.
    case async
  }

  /// The layout of cells.
  enum Layout: String, CaseIterable {
    /// Each frame places the cells of all books.
    case everyFrame = "every-frame"
    /// Each frame computes only the visible cells.
    case visibleOnly = "visible-only"
  }

  /// The source of a cell's gradient.
  enum Palettes: String, CaseIterable {
    /// The frame thread counts the cover's colours each time that a cell appears.
    case uncached
    /// A background thread counts the cover's colours each time that a cell appears.
    case background
    /// The loader threads count the cover's colours once.
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

  static let preset = Parameter(
    "preset", default: CachePreset.epilogue, "Case study that sets the limits of the cache.")
  static let decode = Parameter(
    "decode", default: CoverDecoding.scaled, "Size to which covers are decoded.")
  static let cache = Parameter(
    "cache", default: MemoryPolicy.lru, "Replacement policy of the cache.")
  static let cost = Parameter(
    "cost", default: CoverCost.bytes, "Cost of a cover against the cache's limit.")
  static let loading = Parameter("loading", default: Loading.async, "Thread that loads covers.")
  static let layout = Parameter(
    "layout", default: Layout.visibleOnly, "Cells that each frame places.")
  static let palettes = Parameter(
    "palettes", default: Palettes.cached, "Source of a cell's gradient.")
  static let extraction = Parameter(
    "extraction", default: PaletteMethod.blockMeans, "Method of extracting the colours of a cover.")
  static let prefetch = Parameter(
    "prefetch", default: 20, in: 0...500, "Books that are prefetched in the scroll direction.")
  static let loads = Parameter(
    "loads", default: 3, in: 1...64, "Covers that are loaded concurrently.")
  static let nice = Parameter("nice", default: 19, in: 0...19, "Nice value of the loader threads.")
  static let diskTier = Parameter(
    "disk_tier", default: true, "Whether small covers are kept on disk.")
  static let diskContent = Parameter(
    "disk_content", default: DiskContent.scaled, "Form of a cover on disk.")
  static let scrollAware = Parameter(
    "scroll_aware", default: false, "Whether loading pauses while the list is fast.")
  static let parameters: [any WorkloadParameter] = [
    preset, decode, cache, cost, loading, layout, palettes, extraction, prefetch, loads, nice,
    diskTier, diskContent, scrollAware,
  ]

  init(_ parameters: ParameterValues) {
    let preset: CachePreset = parameters[Self.preset]
    var cache = preset.configuration
    cache.decoding = parameters[Self.decode]
    cache.policy = parameters[Self.cache]
    cache.cost = parameters[Self.cost]
    cache.diskContent = parameters[Self.diskContent]
    cache.concurrentLoads = parameters[Self.loads]
    cache.loaderNice = parameters[Self.nice]
    cache.thumbnailSize = ShelfLayout.cover
    self.cache = cache
    loading = parameters[Self.loading]
    layout = parameters[Self.layout]
    palettes = parameters[Self.palettes]
    let method: PaletteMethod = parameters[Self.extraction]
    extractor = PaletteExtractor(method: method, counting: method.usualCounting)
    prefetch = parameters[Self.prefetch]
    diskByteLimit = preset.diskByteLimit ?? 0
    // Decoded covers of full size are not encoded again for the disk.
    usesDiskTier =
      parameters[Self.diskTier] && diskByteLimit > 0
      && (cache.decoding == .scaled || cache.diskContent == .encoded)
    isScrollAware = parameters[Self.scrollAware]
  }
}

extension PaletteMethod {
  /// The counting method; the case study's methods use its cube of nested arrays.
  fileprivate var usualCounting: ColorCounting {
    switch self {
    case .singleScale, .multiScale, .quarterScale: .nestedCube
    case .everyPixel, .scaledDecode, .blockMeans: .meanCube
    }
  }
}
