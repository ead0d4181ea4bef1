internal import LibraryStore
internal import PerfWorkload

/// The options that distinguish the variants of a cold start.
struct ColdStartOptions: Hashable {
  /// How the app checks whether the library has books.
  enum Existence: String, CaseIterable {
    case fetchAll = "fetch-all"
    case limitOne = "limit-one"
  }

  /// How books, editions and notes are looked up.
  enum Queries: String, CaseIterable {
    case unindexed
    case indexed
  }

  /// The content of the first display.
  enum Display: String, CaseIterable {
    /// A complete screen, after all covers are decoded in full size and their colours are counted.
    case eager
    /// A list with placeholders, which loaded covers replace.
    case placeholders
  }

  /// The configuration with which the library is opened.
  let library: LibraryConfiguration
  /// The content of the first display.
  let display: Display
  /// Whether small covers and palettes of an earlier start are on disk.
  let usesDiskTier: Bool

  static let existence = Parameter(
    "existence", default: Existence.limitOne, "How the app checks whether the library has books.")
  static let queries = Parameter(
    "queries", default: Queries.indexed, "How a page of books is looked up.")
  static let display = Parameter(
    "display", default: Display.placeholders, "Content of the first display.")
  static let diskTier = Parameter(
    "disk_tier", default: true, "Whether small covers of an earlier start are on disk.")
  static let parameters: [any WorkloadParameter] = [existence, queries, display, diskTier]

  /// Reads the options from the parameters that `parameters` declares.
  init(_ parameters: ParameterValues) {
    let existence: Existence = parameters[Self.existence]
    let queries: Queries = parameters[Self.queries]
    let isIndexed = queries == .indexed
    library = LibraryConfiguration(
      schema: isIndexed ? .indexed : .original,
      bestEdition: isIndexed ? .coveringIndex : .recomputed,
      existenceCheck: existence == .fetchAll ? .fetchAll : .limitOne)
    display = parameters[Self.display]
    // The eager display decodes covers from their files.
    usesDiskTier = parameters[Self.diskTier] && display == .placeholders
  }
}
