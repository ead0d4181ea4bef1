internal import LibraryStore
internal import PerfWorkload

/// Opens the pages of works in a library of any size.
final class StoreQuery: Workload {
  static let name = "book.query"
  static let summary = "Opens pages of works with notes, best edition and all editions."
  static let works = Parameter("works", default: 10_000, in: 100...50_000, "Works in the library.")
  static let editions = Parameter("editions", default: 10, in: 1...50, "Editions of each work.")
  static let entries = Parameter("entries", default: 1, in: 1...1_000, "Notes per opened work.")
  static let views = Parameter("views", default: 100, in: 10...10_000, "Pages to open.")
  static let calls = Parameter(
    "calls", default: 4, in: 1...10, "Times that a page looks up the reader's notes.")
  static let changes = Parameter(
    "changes", default: 20, in: 0...1_000, "Notes that another part of the app changes.")
  static let logged = Parameter(
    "logged", default: true, "Whether queries are timed and slow ones are logged.")
  static let lookup = Parameter(
    "lookup", default: LibraryConfiguration.UserEntryLookup.indexed,
    "How the reader's notes about a work are looked up.")
  static let queries = Parameter(
    "queries", default: ColdStartOptions.Queries.indexed,
    "How the editions of a work are looked up.")
  static let parameters: [any WorkloadParameter] = [
    works, editions, entries, views, calls, changes, logged, lookup, queries,
    ColdStartOptions.existence,
  ]
  static let counters: [CounterDeclaration] = [
    .time("store.detail_time", .lower, scale: .ratio, "Mean time to read the content of a page."),
    .time(
      "store.user_entry_time", .lower, scale: .ratio,
      "Mean time to look up the reader's notes about a work."),
    .time(
      "store.best_edition_time", .lower, scale: .ratio,
      "Mean time to find the best edition of a work."),
    .time(
      "store.existence_time", .lower, scale: .ratio,
      "Mean time to check whether the library has books."),
    .count(
      "store.slow_operations", .lower, "Queries above the case study's thresholds of 1 and 10 ms."),
    .count("store.stale_answers", .lower, isExact: true, "Notes that differ from the database."),
  ]

  private static let existenceChecks = 5

  private let calls: Int
  private let changes: Int
  private let log: SlowOperationLog?
  private let library: LibraryStore
  private let works: [Int64]

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = StoreDataset(
      context, works: context[Self.works], editions: context[Self.editions])
    calls = parameters[Self.calls]
    changes = parameters[Self.changes]
    log = parameters[Self.logged] ? SlowOperationLog() : nil
    library = try dataset.openCopy(
      Self.configuration(parameters), in: context.scratchDirectory, slowOperations: log)
    var random = SplitMix64(seed: context.seed, stream: 1)
    works = (0..<parameters[Self.views]).map { _ in Int64(random.of(1...dataset.works)) }
    try addEntries(parameters[Self.entries] - 1)
  }

  func measure(_ context: MeasurementContext) throws {
    var existence = Stopwatch()
    try Phase.store.measure {
      for _ in 0..<Self.existenceChecks {
        _ = try existence.time { () throws(LibraryError) in try library.isEmpty() }
      }
    }
    context.report("store.existence_time", existence.mean)
    var watches = Watches()
    try Phase.detail.measure { try openPages(&watches) }
    try changeElsewhere()
    try Phase.detail.measure { try openPages(&watches) }
    context.report("store.detail_time", watches.detail.mean)
    context.report("store.user_entry_time", watches.entry.mean)
    context.report("store.best_edition_time", watches.best.mean)
    if let log {
      context.report(
        "store.slow_operations", log.count(of: .userEntry) + log.count(of: .primaryEdition))
    }
    context.report("store.stale_answers", try library.staleUserEntries().count)
  }

  private struct Watches {
    var detail = Stopwatch()
    var entry = Stopwatch()
    var best = Stopwatch()
  }

  private func openPages(_ watches: inout Watches) throws(LibraryError) {
    for work in works {
      try watches.detail.time { () throws(LibraryError) in
        for _ in 0..<calls {
          _ = try watches.entry.time { () throws(LibraryError) in
            try library.userEntry(ofWork: work)
          }
        }
        _ = try watches.best.time { () throws(LibraryError) in
          try library.bestEdition(ofWork: work)
        }
        _ = try library.editions(ofWork: work)
      }
    }
  }

  /// Changes notes through a second store object, like a synchronisation that notifies no other
  /// part.
  private func changeElsewhere() throws {
    let other = try LibraryStore(path: library.path, configuration: library.configuration)
    for work in Set(works).sorted().prefix(changes) {
      try other.setUserEntry(
        UserEntryDetails(status: .read, rating: 5, shelves: ["synchronised"]), ofWork: work)
    }
    try other.close()
  }

  /// Adds notes to the opened works, as in a library with several readers.
  private func addEntries(_ count: Int) throws {
    guard count > 0 else { return }
    let entries = (0..<count).map { UserEntryDetails(status: .read, rating: $0 % 6) }
    for work in Set(works).sorted() { try library.addUserEntries(entries, ofWork: work) }
  }

  // MARK: - Setup

  static func setup(_ context: SetupContext) throws -> SetupResult {
    let dataset = StoreDataset(
      context, works: context[Self.works], editions: context[Self.editions])
    return try dataset.setUp(configuration(context.parameters).schema, context)
  }

  /// An indexed look-up of notes needs the indexed schema, regardless of the look-up of editions.
  private static func configuration(_ parameters: ParameterValues) -> LibraryConfiguration {
    let lookup = parameters[Self.lookup]
    let queries = parameters[Self.queries]
    return LibraryConfiguration(
      schema: lookup == .indexed ? .indexed : queries.schema, userEntry: lookup,
      bestEdition: queries.bestEdition, existenceCheck: parameters[ColdStartOptions.existence])
  }
}
