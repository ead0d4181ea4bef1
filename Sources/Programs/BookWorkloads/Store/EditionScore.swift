internal import LibraryStore
internal import PerfWorkload

/// Finds the best editions of the displayed books and keeps their scores up to date.
final class EditionScore: Workload {
  static let name = "book.editions"
  static let summary = "Finds the best edition of each displayed book in a series of scrolls."
  static let works = Parameter("works", default: 1_000, in: 100...50_000, "Works in the library.")
  static let editions = Parameter("editions", default: 10, in: 1...50, "Editions of each work.")
  static let books = Parameter("books", default: 50, in: 1...100, "Books on the screen.")
  static let scrolls = Parameter("scrolls", default: 20, in: 1...1_000, "Number of screens.")
  static let updates = Parameter(
    "updates", default: 500, in: 0...10_000, "Books whose editions change.")
  static let best = Parameter(
    "best", default: LibraryConfiguration.BestEdition.coveringIndex,
    "Method of finding the best edition of a work.")
  static let queries = Parameter(
    "queries", default: ColdStartOptions.Queries.indexed,
    "How the editions of a work are looked up.")
  static let parameters: [any WorkloadParameter] = [
    works, editions, books, scrolls, updates, best, queries,
  ]
  static let counters: [CounterDeclaration] = [
    .time(
      "store.screen_time", .lower, scale: .ratio,
      "Mean time to find the best editions of a screen of books."),
    .time(
      "store.best_edition_time", .lower, scale: .ratio,
      "Mean time to find the best edition of a work."),
    .time(
      "store.fixture_time", .lower, scale: .ratio,
      "Mean time to find the best of the case study's fifty editions."),
    .bytes(
      "store.update_bytes", .lower, scale: .difference,
      "Bytes written per changed edition, with a hundred books per transaction."),
    .time(
      "store.migration_time", .lower, scale: .ratio,
      "Time to add scores to a library without scores."),
    .time(
      "store.migration_longest", .lower, scale: .ratio, "Longest transaction of adding scores."),
  ]

  private static let fixtureQuestions = 200

  private let dataset: StoreDataset
  private let books: Int
  private let scrolls: Int
  private let updates: Int
  private let library: LibraryStore
  private let old: LibraryStore
  private let fixture: Int64

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    dataset = StoreDataset(context, works: context[Self.works], editions: context[Self.editions])
    books = min(parameters[Self.books], dataset.works)
    scrolls = parameters[Self.scrolls]
    updates = min(parameters[Self.updates], dataset.works)
    library = try dataset.openCopy(Self.configuration(parameters), in: context.scratchDirectory)
    old = try dataset.openCopy(.naive, in: context.scratchDirectory, name: "old.sqlite")
    try library.insert([Self.fiftyEditions])
    fixture = Int64(dataset.works + 1)
  }

  func measure(_ context: MeasurementContext) throws {
    var best = Stopwatch()
    var screen = Stopwatch()
    try Phase.store.measure {
      for scroll in 0..<scrolls {
        try screen.time { () throws(LibraryError) in
          for book in 0..<books {
            let work = Int64((scroll * books + book) % dataset.works + 1)
            _ = try best.time { () throws(LibraryError) in try library.bestEdition(ofWork: work) }
          }
        }
      }
    }
    context.report("store.screen_time", screen.mean)
    context.report("store.best_edition_time", best.mean)
    var watch = Stopwatch()
    for _ in 0..<Self.fixtureQuestions {
      _ = try watch.time { () throws(LibraryError) in try library.bestEdition(ofWork: fixture) }
    }
    context.report("store.fixture_time", watch.mean)
    try update(context)
    try migrate(context)
  }

  /// Changes the editions of a hundred books per transaction, as a synchronisation does.
  private func update(_ context: MeasurementContext) throws {
    let changed = try (0..<updates).map { index in
      var editions = try library.editions(ofWork: Int64(index + 1))
      for place in editions.indices { editions[place].details.publicationDate = "2026" }
      return editions
    }
    let before = writtenBytes()
    var count = 0
    try Phase.update.measure {
      for start in stride(from: 0, to: changed.count, by: 100) {
        count += try library.update(
          changed[start..<min(start + 100, changed.count)].flatMap(\.self))
      }
    }
    guard let before, let after = writtenBytes(), count > 0 else { return }
    context.report("store.update_bytes", Double(after - before) / Double(count))
  }

  private func migrate(_ context: MeasurementContext) throws {
    let began = ContinuousClock.now
    var last = began
    var longest = Duration.zero
    try Phase.migrate.measure {
      _ = try old.prepareScores { _, _ in
        let now = ContinuousClock.now
        longest = max(longest, now - last)
        last = now
        return true
      }
    }
    context.report("store.migration_time", (ContinuousClock.now - began).nanoseconds)
    context.report("store.migration_longest", longest.nanoseconds)
  }

  /// The test data of the case study: fifty editions from 2020 to 2024, every third a hardcover,
  /// every second with a cover.
  static let fiftyEditions = NewBook(
    title: "Performance Test Book", author: "",
    editions: (1...50).map { number in
      EditionDetails(
        format: number.isMultiple(of: 3) ? .hardcover : .paperback,
        publicationDate: "202\(number % 5)-01-01",
        cover: number.isMultiple(of: 2) ? "https://example.com/cover.jpg" : nil)
    })

  // MARK: - Setup

  static func setup(_ context: SetupContext) throws -> SetupResult {
    let dataset = StoreDataset(
      context, works: context[Self.works], editions: context[Self.editions])
    try dataset.prepare(.original, report: DatasetReport(context))
    return try dataset.setUp(configuration(context.parameters).schema, context)
  }

  private static func configuration(_ parameters: ParameterValues) -> LibraryConfiguration {
    let best = parameters[Self.best]
    let queries = parameters[Self.queries]
    let schema: LibrarySchema =
      switch (queries, best) {
      case (.indexed, _), (_, .coveringIndex): .indexed
      case (.unindexed, .storedScore): .scored
      case (.unindexed, .recomputed): .original
      }
    return LibraryConfiguration(schema: schema, bestEdition: best)
  }
}
