internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Starts the app, from the first instruction of the process to the first screen of books.
///
/// Both kinds of display end with the same screen: fifteen covers on gradients of their colours,
/// with titles. The eager display shows nothing until the screen is complete.
final class ColdStart: Workload {
  static let name = "book.start"
  static let summary = "Opens a library and shows its first fifteen books."
  static let startsAtLaunch = true
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 1_000, in: 0...5_000) + ColdStartOptions.parameters
  static let counters: [CounterDeclaration] = [
    .time(
      "library.load", .lower, scale: .ratio,
      "Time from opening the library to having the first page of books in memory.")
  ]

  /// The number of books that are read before the first display: the screen and two or three more.
  private static let pageLength = 50

  private let options: ColdStartOptions
  private let dataset: BookDataset
  /// The open library; closing it would write the log back, which an app does not do during its
  /// start.
  private var library: LibraryStore?

  init(_ context: PreparationContext) throws {
    options = ColdStartOptions(context.parameters)
    dataset = BookDataset(context)
  }

  func measure(_ context: MeasurementContext) throws {
    let began = ContinuousClock.now
    let library = try Phase.store.measure { try dataset.openLibrary(options.library) }
    self.library = library
    let books = try Phase.store.measure { try Self.firstBooks(of: library) }
    context.report("library.load", (ContinuousClock.now - began).nanoseconds)
    let layout = Phase.layout.measure { ShelfLayout(count: books.count) }
    let screen = FirstScreen(books: books, layout: layout, dataset: dataset, context: context)
    switch options.display {
    case .eager: try screen.showEagerly()
    case .placeholders: try screen.showPlaceholdersFirst(disk: options.usesDiskTier)
    }
  }

  /// Checks whether the library has books and reads the first ones.
  private static func firstBooks(of library: LibraryStore) throws(LibraryError) -> [BookRow] {
    guard try !library.isEmpty() else { return [] }
    return try library.page(offset: 0, limit: pageLength)
  }

  // MARK: - Setup

  static func setup(_ context: SetupContext) throws -> SetupResult {
    let options = ColdStartOptions(context.parameters)
    let dataset = BookDataset(context)
    let count = try dataset.prepare(
      schemas: [options.library.schema], report: DatasetReport(context))
    let first = try firstCovers(of: dataset, options)
    var files = [dataset.libraryPath(options.library.schema)]
    if options.usesDiskTier {
      files += try ColdStartTiers.fill(for: first, of: dataset)
    } else {
      files += first.map { "\(dataset.coversFolder)/\($0)" }
    }
    return SetupResult(files: files, notes: ["dataset": dataset.name, "books": "\(count)"])
  }

  private static func firstCovers(
    of dataset: BookDataset, _ options: ColdStartOptions
  ) throws -> [String] {
    let library = try dataset.openLibrary(options.library)
    let books = try library.page(offset: 0, limit: pageLength)
    try library.close()
    let visible = ShelfLayout(count: books.count).visible(at: 0)
    return books[visible].compactMap(\.cover)
  }
}

extension Duration {
  /// The duration in whole nanoseconds, at most 292 years.
  var nanoseconds: Int {
    Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
  }
}
