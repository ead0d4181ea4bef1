internal import LibraryStore
internal import PerfWorkload

/// The options that distinguish the variants of store queries.
struct StoreQueryOptions: Hashable {
  /// The method of looking up the reader's notes.
  enum Lookup: String, CaseIterable {
    case fetchAll = "fetch-all"
    case scan
    case cachedManually = "cached-manually"
    case cached
    case indexed

    var strategy: LibraryConfiguration.UserEntryLookup {
      switch self {
      case .fetchAll: .fetchAll
      case .scan: .scan
      case .cachedManually: .cachedManually
      case .cached: .cached
      case .indexed: .indexed
      }
    }
  }

  /// The configuration with which the library is opened.
  let library: LibraryConfiguration

  static let lookup = Parameter(
    "lookup", default: Lookup.indexed, "How the reader's notes about a work are looked up.")
  static let queries = Parameter(
    "queries", default: ColdStartOptions.Queries.indexed,
    "How the editions of a work are looked up.")
  static let existence = Parameter(
    "existence", default: ColdStartOptions.Existence.limitOne,
    "How the app checks whether the library has books.")
  static let parameters: [any WorkloadParameter] = [lookup, queries, existence]

  /// Reads the options from the parameters that `parameters` declares.
  ///
  /// An indexed look-up of notes needs the indexed schema, regardless of the look-up of editions.
  init(_ parameters: ParameterValues) {
    let lookup: Lookup = parameters[Self.lookup]
    let queries: ColdStartOptions.Queries = parameters[Self.queries]
    let existence: ColdStartOptions.Existence = parameters[Self.existence]
    let isIndexed = queries == .indexed
    library = LibraryConfiguration(
      schema: isIndexed || lookup == .indexed ? .indexed : .original, userEntry: lookup.strategy,
      bestEdition: isIndexed ? .coveringIndex : .recomputed,
      existenceCheck: existence == .fetchAll ? .fetchAll : .limitOne)
  }
}
