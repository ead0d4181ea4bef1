internal import CoverCache
internal import PerfWorkload

/// What the variants of a scroll differ in.
struct ScrollOptions: Hashable {
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
    /// The loader threads count them once.
    case cached
  }

  let cache: CoverCacheConfiguration
  let loading: Loading
  let layout: Layout
  let palettes: Palettes
  let prefetch: Int
  let usesDiskTier: Bool

  static let parameters: [ParameterDeclaration] = [
    .choice("decode", default: CoverDecoding.scaled, "To which size covers are decoded."),
    .choice("cache", default: MemoryPolicy.lru, "What holds decoded covers."),
    .choice("loading", default: Loading.async, "Which thread loads covers."),
    .choice("layout", default: Layout.visibleOnly, "Which cells each frame places."),
    .choice("palettes", default: Palettes.cached, "Where a cell's gradient comes from."),
    .int("prefetch", default: 20, in: 0...500, "Books loaded ahead, in the scroll's direction."),
    .int("loads", default: 3, in: 1...64, "Covers loaded at one time."),
    .int("nice", default: 19, in: 0...19, "Nice value of the loader threads."),
    .bool("disk_tier", default: true, "Whether small covers are kept on the disk."),
  ]

  /// Reads the options from parameters that `parameters` declares.
  init(_ parameters: ParameterValues) throws(WorkloadError) {
    var cache = CoverCacheConfiguration()
    cache.decoding = try parameters.choice("decode")
    cache.policy = try parameters.choice("cache")
    cache.concurrentLoads = try parameters.int("loads")
    cache.loaderNice = try parameters.int("nice")
    cache.thumbnailSize = ShelfLayout.cover
    self.cache = cache
    loading = try parameters.choice("loading")
    layout = try parameters.choice("layout")
    palettes = try parameters.choice("palettes")
    prefetch = try parameters.int("prefetch")
    // Covers of full size are decoded from their files each time.
    usesDiskTier = try parameters.bool("disk_tier") && cache.decoding == .scaled
  }
}
