internal import LibraryStore
internal import PerfWorkload

/// The options that distinguish the variants of a cold start.
struct ColdStartOptions: Hashable {
  /// How books, editions and notes are looked up.
  enum Queries: String, CaseIterable {
    case unindexed
    case indexed

    var schema: LibrarySchema { self == .indexed ? .indexed : .original }
    var bestEdition: LibraryConfiguration.BestEdition {
      self == .indexed ? .coveringIndex : .recomputed
    }
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
    "existence", default: LibraryConfiguration.ExistenceCheck.limitOne,
    "How the app checks whether the library has books.")
  static let queries = Parameter(
    "queries", default: Queries.indexed, "How a page of books is looked up.")
  static let display = Parameter(
    "display", default: Display.placeholders, "Content of the first display.")
  static let diskTier = Parameter(
    "disk_tier", default: true, "Whether small covers of an earlier start are on disk.")
  static let parameters: [any WorkloadParameter] = [existence, queries, display, diskTier]

  init(_ parameters: ParameterValues) {
    let queries = parameters[Self.queries]
    library = LibraryConfiguration(
      schema: queries.schema, bestEdition: queries.bestEdition,
      existenceCheck: parameters[Self.existence])
    display = parameters[Self.display]
    // The eager display decodes covers from their files.
    usesDiskTier = parameters[Self.diskTier] && display == .placeholders
  }
}
