internal import LibraryStore
internal import PerfWorkload

/// What the variants of the questions to a store differ in.
struct StoreQueryOptions: Hashable {
  /// How the reader's notes are found.
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

  /// How the library is opened.
  let library: LibraryConfiguration

  static let parameters: [ParameterDeclaration] = [
    .choice("lookup", default: Lookup.indexed, "How the reader's notes about a work are found."),
    .choice(
      "queries", default: ColdStartOptions.Queries.indexed, "How editions of a work are found."),
    .choice(
      "existence", default: ColdStartOptions.Existence.limitOne,
      "How the app finds out if there are books."),
  ]

  /// Reads the options from parameters that `parameters` declares.
  ///
  /// An indexed look-up takes the indexed schema, whatever finds the editions.
  init(_ parameters: ParameterValues) throws(WorkloadError) {
    let lookup: Lookup = try parameters.choice("lookup")
    let queries: ColdStartOptions.Queries = try parameters.choice("queries")
    let existence: ColdStartOptions.Existence = try parameters.choice("existence")
    let isIndexed = queries == .indexed
    library = LibraryConfiguration(
      schema: isIndexed || lookup == .indexed ? .indexed : .original, userEntry: lookup.strategy,
      bestEdition: isIndexed ? .coveringIndex : .recomputed,
      existenceCheck: existence == .fetchAll ? .fetchAll : .limitOne)
  }
}
