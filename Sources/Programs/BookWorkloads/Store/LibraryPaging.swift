internal import LibraryStore
internal import PerfWorkload

/// Scrolls through a library that is read at once or in pages.
final class LibraryPaging: Workload {
  static let name = "book.paging"
  static let summary = "Scrolls through a library that is read at once or page by page."

  /// The way in which books are read.
  enum Paging: String, CaseIterable {
    /// All books before the first screen.
    case none
    /// A page at a position, for which SQLite skips the books before it.
    case offset
    /// The page after the last book, which the index finds.
    case after
  }

  static let works = Parameter("works", default: 5_000, in: 1...50_000, "Works in the library.")
  static let paging = Parameter("paging", default: Paging.after, "Way in which books are read.")
  static let page = Parameter("page", default: 100, in: 1...50_000, "Books per page.")
  static let ahead = Parameter(
    "ahead", default: 30, in: 0...50_000,
    "Books below the screen that are read before they become visible.")
  static let fling = Parameter(
    "fling", default: 12_000.0, in: 100...200_000, "Peak speed, in points per second.")
  static let reach = Parameter(
    "reach", default: 1.0, in: 0...1, "Share of the list that is scrolled through.")
  static let parameters: [any WorkloadParameter] = [
    works, paging, page, ahead, fling, reach, refresh, clock,
  ]
  static let counters: [CounterDeclaration] = [
    .count("paging.first_rows", .lower, isExact: true, "Books read before the first screen."),
    .count("paging.rows", .lower, isExact: true, "Books read in all."),
    .count("paging.pages", .neutral, isExact: true, "Queries that returned books."),
    .count("paging.gaps", .lower, "Frames with visible books that were not read yet."),
    .time("paging.first_time", .lower, scale: .ratio, "Time until the first screen is drawn."),
    .time("paging.page_time", .lower, scale: .ratio, "Mean time to read a page."),
    .time("paging.page_longest", .lower, scale: .ratio, "Longest time to read a page."),
  ]

  private let paging: Paging
  private let pageLength: Int
  private let ahead: Int
  private let reach: Double
  private let speed: Double
  private let clock: FrameClock
  private let count: Int
  private let library: LibraryStore
  private let framebuffer: Framebuffer
  private var rows: [BookRow] = []
  private var pages = 0
  private var isComplete = false
  private var watch = Stopwatch()

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    paging = parameters[Self.paging]
    count = parameters[Self.works]
    pageLength = paging == .none ? count : parameters[Self.page]
    ahead = parameters[Self.ahead]
    reach = parameters[Self.reach]
    speed = parameters[Self.fling]
    clock = FrameClock(
      refresh: parameters[Self.refresh], paced: parameters[Self.clock] == .paced)
    library = try StoreDataset(context, works: count, editions: 1)
      .openCopy(.optimised, in: context.scratchDirectory)
    framebuffer = Framebuffer(size: ShelfLayout(count: 0).screen)
  }

  func measure(_ context: MeasurementContext) throws {
    // The whole list has its length from the beginning, as in an app that counts its books first.
    let layout = ShelfLayout(count: count)
    let began = ContinuousClock.now
    try readPage()
    let firstRows = rows.count
    _ = draw(at: 0, layout)
    context.report("paging.first_time", (ContinuousClock.now - began).nanoseconds)
    var gaps = 0
    let fling = Fling(distance: Double(layout.farthestOffset) / 2 * reach, peak: speed)
    try clock.animate("scroll", for: .seconds(fling.seconds)) { frame throws(LibraryError) in
      gaps += try show(fling.position(at: frame.seconds), layout) ? 1 : 0
    }
    // A late last frame would leave out the end of the list.
    gaps += try show(fling.distance, layout) ? 1 : 0
    context.report("paging.first_rows", firstRows)
    context.report("paging.rows", rows.count)
    context.report("paging.pages", pages)
    context.report("paging.gaps", gaps)
    context.report("paging.page_time", watch.mean)
    context.report("paging.page_longest", watch.longest.nanoseconds)
  }

  /// Draws the list at a position in points, and reads the pages that follow.
  ///
  /// - Returns: Whether a visible book was not read yet.
  private func show(_ position: Double, _ layout: ShelfLayout) throws(LibraryError) -> Bool {
    let offset = min(layout.farthestOffset, Int(position * ShelfLayout.pixelsPerPoint))
    let hasGap = draw(at: offset, layout)
    let needed = layout.visible(at: offset).upperBound + ahead
    while !isComplete, rows.count < needed { try readPage() }
    return hasGap
  }

  private func readPage() throws(LibraryError) {
    let page = try watch.time { () throws(LibraryError) in
      try Phase.store.measure { () throws(LibraryError) in
        if paging == .after, let last = rows.last {
          try library.page(after: last, limit: pageLength)
        } else {
          try library.page(offset: rows.count, limit: pageLength)
        }
      }
    }
    if !page.isEmpty { pages += 1 }
    rows += page
    isComplete = page.count < pageLength || rows.count >= count
  }

  private func draw(at offset: Int, _ layout: ShelfLayout) -> Bool {
    Phase.composite.measure {
      ShelfPainter(framebuffer: framebuffer, layout: layout)
        .paint(rows, at: offset) { _ in ShelfPainter.Cell() }
    }
    return layout.visible(at: offset).upperBound > rows.count
  }

  // MARK: - Setup

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try StoreDataset(context, works: context[Self.works], editions: 1)
      .setUp(LibraryConfiguration.optimised.schema, context)
  }
}
