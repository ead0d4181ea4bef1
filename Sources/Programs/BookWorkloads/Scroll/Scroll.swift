internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Flings through the library, from its first book to its last and back.
struct Scroll: Workload {
  static let name = "book.scroll"
  static let summary = "Flings through the library, down and up again, drawing every frame."
  static let parameters =
    DatasetRequest.parameters(books: 1_000) + [
      .int("columns", default: 3, in: 1...5, "Books in a row."),
      .double("refresh", default: 120, in: 1...1_000, "Refresh rate of the display, in hertz."),
      .double("fling", default: 12_000, in: 100...100_000, "Peak speed, in points a second."),
      .string(
        "clock", default: "paced", choices: ["paced", "unpaced"],
        "Whether frames wait for their refresh."),
    ] + ScrollOptions.parameters
  static let counters = CacheCounters.declarations

  private let clock: FrameClock
  private let fling: Fling
  private var shelf: ScrollingShelf

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = try BookDataset(context)
    shelf = try ScrollingShelf(
      books: try dataset.allBooks(), columns: try parameters.int("columns"), dataset: dataset,
      folder: context.scratchDirectory, options: try ScrollOptions(parameters))
    clock = FrameClock(
      refresh: try parameters.double("refresh"), paced: try parameters.string("clock") == "paced")
    fling = Fling(distance: shelf.farthestOffset, peak: try parameters.double("fling"))
  }

  mutating func measure(_ context: MeasurementContext) throws {
    // A library that fits the screen is looked at for a moment.
    let duration = Duration.seconds(max(fling.seconds, 0.1))
    clock.animate("fling.down", for: duration) { frame in
      shelf.draw(at: fling.position(at: frame.seconds), isForward: true)
    }
    clock.animate("fling.up", for: duration) { frame in
      shelf.draw(at: fling.distance - fling.position(at: frame.seconds), isForward: false)
    }
    CacheCounters.report(shelf.covers, to: context)
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }
}

extension BookDataset {
  /// Makes the data set with an indexed library, and names all its covers as its files.
  func setUp(_ context: SetupContext) throws -> SetupResult {
    let count = try prepare(schemas: [.indexed], report: DatasetReport(context))
    let covers = try allBooks().compactMap(\.cover).map { "\(coversFolder)/\($0)" }
    return SetupResult(files: covers, notes: ["dataset": name, "books": "\(count)"])
  }

  /// Returns all books, in the order of display.
  func allBooks() throws -> [BookRow] {
    let library = try openLibrary(.optimised)
    let books = try library.page(offset: 0, limit: request.books)
    try library.close()
    return books
  }
}
