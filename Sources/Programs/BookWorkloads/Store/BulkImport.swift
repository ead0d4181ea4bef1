internal import LibraryStore
internal import PerfWorkload

/// Fills an empty library from an export or from camera recognition.
struct BulkImport: Workload {
  /// The source of the books.
  enum Source: String, CaseIterable {
    case csv
    case recognition
  }

  static let name = "book.import"
  static let summary = "Fills an empty library with books."
  static let books = Parameter(
    "books", default: 10_000, in: 1...50_000, "Largest number of books to add.")
  static let source = Parameter("source", default: Source.csv, "Source of the books.")
  static let batch = Parameter(
    "batch", default: 100, in: 0...50_000, "Books per transaction; 0 uses one transaction.")
  static let journal = Parameter(
    "journal", default: LibraryConfiguration.Journal.writeAheadLog, "Journal mode of SQLite.")
  static let synchronous = Parameter(
    "synchronous", default: LibraryConfiguration.Synchronous.normal,
    "Synchronous mode of SQLite.")
  static let queries = Parameter(
    "queries", default: ColdStartOptions.Queries.indexed, "How existing books are looked up.")
  static let parameters: [any WorkloadParameter] = [
    books, source, DatasetRequest.csv, DatasetRequest.rows, batch, journal, synchronous, queries,
  ]
  static let counters: [CounterDeclaration] = [
    .time(
      "import.time", .lower, scale: .ratio,
      "Time from opening the empty library to the last commit."),
    .time("import.book_time", .lower, scale: .ratio, "Time of the import per book."),
    .count("import.books", .neutral, isExact: true, "Books in the library after the import."),
    .count(
      "import.skipped_rows", .neutral, isExact: true, "Malformed rows that the import skipped."),
    .bytes("import.written_bytes", .lower, scale: .ratio, "Bytes written per book."),
    .ratio(
      "import.high_confidence", .neutral, isExact: true,
      "Share of the books with a recognition confidence of at least 0.8."),
    .ratio(
      "import.medium_confidence", .neutral, isExact: true,
      "Share of the books with a recognition confidence from 0.5 to 0.8."),
    .ratio(
      "import.low_confidence", .neutral, isExact: true,
      "Share of the books with a recognition confidence below 0.5."),
  ]

  private let source: Source
  private let books: Int
  private let seed: UInt64
  private let export: String
  private let rows: MalformedRows
  private let path: String
  private let batch: InsertBatch
  private let configuration: LibraryConfiguration

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    source = parameters[Self.source]
    books = parameters[Self.books]
    seed = context.seed
    export =
      DatasetRequest.absolute(parameters[DatasetRequest.csv])
      ?? Self.generatedExport(books, seed: seed, cache: context.cacheDirectory)
    rows = parameters[DatasetRequest.rows]
    path = "\(context.scratchDirectory)/library.sqlite"
    let size = parameters[Self.batch]
    batch = size == 0 ? .all : .books(size)
    let queries = parameters[Self.queries]
    configuration = LibraryConfiguration(
      schema: queries.schema, bestEdition: queries.bestEdition,
      journal: parameters[Self.journal], synchronous: parameters[Self.synchronous])
  }

  func measure(_ context: MeasurementContext) throws {
    let before = writtenBytes()
    let began = ContinuousClock.now
    var skipped: Int?
    let library = try Phase.import.measure {
      let library = try LibraryStore(path: path, configuration: configuration)
      switch source {
      case .csv:
        let summary = try library.importBooks(
          path: export, batch: batch, malformedRows: rows, limit: books)
        skipped = summary.skipped.count
      case .recognition:
        let generator = BookGenerator(seed: seed)
        try library.insert(
          (0..<books).lazy.map { generator.book($0, cover: BookGenerator.coverName(of: $0)) },
          batch: batch)
      }
      return library
    }
    let elapsed = (ContinuousClock.now - began).nanoseconds
    let count = try library.count()
    context.report("import.time", elapsed)
    context.report("import.book_time", Double(elapsed) / Double(max(1, count)))
    context.report("import.books", count)
    if let skipped { context.report("import.skipped_rows", skipped) }
    try library.close()
    if let before, let after = writtenBytes(), count > 0 {
      context.report("import.written_bytes", Double(after - before) / Double(count))
    }
    if source == .recognition { try reportConfidence(context) }
  }

  private func reportConfidence(_ context: MeasurementContext) throws {
    let library = try LibraryStore(path: path, configuration: configuration, access: .existing)
    let rows = try library.page(offset: 0, limit: .max)
    for (name, level) in [
      ("high", RecognitionConfidence.high), ("medium", .medium), ("low", .low),
    ] {
      let count = rows.count { $0.confidenceClass == level }
      context.report("import.\(name)_confidence", Double(count) / Double(max(1, rows.count)))
    }
    try library.close()
  }

  // MARK: - Setup

  static func setup(_ context: SetupContext) throws -> SetupResult {
    let books = context[Self.books]
    if let own = DatasetRequest.absolute(context[DatasetRequest.csv]) {
      return try setUp(
        UserExport(path: own, rows: context[DatasetRequest.rows], limit: books), context)
    }
    let export = generatedExport(books, seed: context.seed, cache: context.cacheDirectory)
    try makeFolder(context.cacheDirectory)
    if fileState(at: export) == nil {
      let text = GoodreadsFile.text(books: books, seed: context.seed)
      try writeWhole([UInt8](text.utf8), to: export)
    }
    return SetupResult(
      files: [export], notes: ["dataset": "export-seed\(context.seed)", "books": "\(books)"])
  }

  /// Reads the user's export once, so that a malformed one is reported before anything is measured.
  private static func setUp(_ export: UserExport, _ context: SetupContext) throws -> SetupResult {
    let report = DatasetReport(context)
    if context[Self.source] == .recognition { report.warn(.unusedExport) }
    let books = try export.books(report)
    let identity = fileState(at: export.path).map { checksum(of: "\($0)".utf8) } ?? ""
    return SetupResult(
      files: [export.path], notes: ["dataset": "own-\(identity)", "books": "\(books.count)"])
  }

  private static func generatedExport(_ books: Int, seed: UInt64, cache: String) -> String {
    "\(cache)/goodreads-v\(DatasetRequest.generatorVersion)-seed\(seed)-\(books).csv"
  }
}
