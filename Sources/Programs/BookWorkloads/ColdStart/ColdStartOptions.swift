internal import LibraryStore
internal import PerfWorkload

/// What the variants of a cold start differ in.
struct ColdStartOptions: Hashable {
  /// How it is found out whether there are any books.
  enum Existence: String, CaseIterable {
    case fetchAll = "fetch-all"
    case limitOne = "limit-one"
  }

  /// How books, their editions and notes are found.
  enum Queries: String, CaseIterable {
    case unindexed
    case indexed
  }

  /// What is shown first.
  enum Display: String, CaseIterable {
    /// Nothing before every cover is decoded, to all its pixels, and its colours are counted.
    case eager
    /// The list with placeholders; covers come as they are loaded.
    case placeholders
  }

  /// How the library is opened.
  let library: LibraryConfiguration
  /// What is shown first.
  let display: Display
  /// Whether small covers and palettes of an earlier start are on the disk.
  let usesDiskTier: Bool

  static let parameters: [ParameterDeclaration] = [
    .choice("existence", default: Existence.limitOne, "How the app finds out if there are books."),
    .choice("queries", default: Queries.indexed, "How a page of books is found."),
    .choice("display", default: Display.placeholders, "What is shown first."),
    .bool("disk_tier", default: true, "Whether small covers of an earlier start are on the disk."),
  ]

  /// Reads the options from parameters that `parameters` declares.
  init(_ parameters: ParameterValues) throws(WorkloadError) {
    let existence: Existence = try parameters.choice("existence")
    let queries: Queries = try parameters.choice("queries")
    let isIndexed = queries == .indexed
    library = LibraryConfiguration(
      schema: isIndexed ? .indexed : .original,
      bestEdition: isIndexed ? .coveringIndex : .recomputed,
      existenceCheck: existence == .fetchAll ? .fetchAll : .limitOne)
    display = try parameters.choice("display")
    // Eager covers are decoded from their files.
    usesDiskTier = try parameters.bool("disk_tier") && display == .placeholders
  }
}
