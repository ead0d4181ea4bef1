internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Flings through a list without end, and looks whether memory grows and frames become slower.
///
/// No cover comes twice, as in a feed: what is held for ever is a leak.
struct Soak: Workload {
  static let name = "book.soak"
  static let summary = "Flings through a list without end, as long as it is asked to."
  static let parameters =
    DatasetRequest.parameters(books: 300) + [
      .int("columns", default: 3, in: 1...5, "Books in a row."),
      .double("refresh", default: 120, in: 1...1_000, "Refresh rate of the display, in hertz."),
      .double("fling", default: 4_000, in: 100...100_000, "Peak speed, in points a second."),
      .double("distance", default: 6_000, in: 10...1_000_000, "How far a fling goes, in points."),
      .double(
        "seconds", default: 7, in: 0.1...36_000, "How long the reader scrolls, in whole flings."),
    ] + ScrollOptions.parameters
  static let counters =
    CacheCounters.declarations + [
      CounterDeclaration(
        "soak.rss_growth", unit: .bytes, direction: .lower,
        "Bytes by which resident memory grows in a minute, over the second half."),
      CounterDeclaration(
        "soak.p99_drift", unit: .nanoseconds, direction: .lower,
        "p99 of the frames' times in the last quarter, less that of the second quarter."),
      CounterDeclaration(
        "soak.flings", unit: .count, direction: .neutral, "Flings that were made."),
    ]

  private let clock: FrameClock
  private let fling: Fling
  private let flings: Int
  private var shelf: ScrollingShelf

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = try BookDataset(context)
    let library = try dataset.allBooks()
    guard !library.isEmpty else { throw DatasetError.noBooks(path: dataset.folder) }
    fling = Fling(
      distance: try parameters.double("distance"), peak: try parameters.double("fling"))
    let columns = try parameters.int("columns")
    flings = Int((try parameters.double("seconds") / fling.seconds).rounded(.up))
    let points = Double(flings) * fling.distance
    let rows = Int(points * ScrollingShelf.pixelsPerPoint) / ShelfLayout.rowHeight + 10
    shelf = try ScrollingShelf(
      books: Self.feed(of: library, count: rows * columns), columns: columns,
      source: NumberedCovers(source: dataset.covers), folder: context.scratchDirectory,
      options: try ScrollOptions(parameters))
    clock = FrameClock(refresh: try parameters.double("refresh"), paced: true)
  }

  mutating func measure(_ context: MeasurementContext) throws {
    var trend = SoakTrend()
    let began = ContinuousClock.now
    for number in 0..<flings {
      let start = fling.distance * Double(number)
      try clock.animate("fling", for: .seconds(fling.seconds)) { frame in
        let before = ContinuousClock.now
        shelf.draw(
          at: start + fling.position(at: frame.seconds), isForward: true, time: frame.time)
        let after = ContinuousClock.now
        try trend.add(frame: after - before, at: after - began)
      }
    }
    CacheCounters.report(shelf.covers, to: context)
    context.report("soak.flings", flings)
    context.report("soak.rss_growth", trend.memoryGrowth)
    context.report("soak.p99_drift", trend.p99Drift)
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }

  /// Repeats the books of a library, each time with other names for its covers.
  private static func feed(of library: [BookRow], count: Int) -> [BookRow] {
    (0..<count).map { index in
      var book = library[index % library.count]
      book.cover = book.cover.map { "\(index / library.count)#\($0)" }
      return book
    }
  }
}

/// Covers of a library under names that begin with a number.
private struct NumberedCovers: CoverSource {
  let source: FileCoverSource

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    guard let mark = key.firstIndex(of: "#") else { throw .notFound(cover: key) }
    return try source.encodedCover(for: String(key[key.index(after: mark)...]))
  }
}
