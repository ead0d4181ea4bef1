internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Flings through an endless list and checks whether memory grows or frames become slower.
///
/// No cover appears twice, as in a feed, so growing memory means a leak.
struct Soak: LibraryWorkload {
  static let name = "book.soak"
  static let summary = "Flings through an endless list for a given time."
  static let distance = Parameter(
    "distance", default: 6_000.0, in: 10...1_000_000, "Distance of a fling, in points.")
  static let seconds = Parameter(
    "seconds", default: 7.0, in: 0.1...36_000, "Duration in seconds, rounded up to whole flings.")
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 300) + [columns, refresh, fling, distance, seconds]
    + ScrollOptions.parameters
  static let counters: [CounterDeclaration] =
    CacheCounters.declarations + [
      .bytes(
        "soak.rss_growth", .lower, "Growth of resident memory per minute, over the second half."),
      .time(
        "soak.p99_drift", .lower,
        "p99 frame time of the last quarter minus that of the second quarter."),
      .count("soak.flings", .neutral, "Number of flings."),
    ]

  private let clock: FrameClock
  private let fling: Fling
  private let flings: Int
  private var shelf: ScrollingShelf

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = BookDataset(context)
    let library = try dataset.allBooks()
    guard !library.isEmpty else { throw DatasetError.noBooks(path: dataset.folder) }
    fling = Fling(distance: parameters[Self.distance], peak: parameters[Self.fling])
    let columns = parameters[Self.columns]
    flings = Int((parameters[Self.seconds] / fling.seconds).rounded(.up))
    let points = Double(flings) * fling.distance
    let rows = Int(points * ShelfLayout.pixelsPerPoint) / ShelfLayout.rowHeight + 10
    let covers = dataset.covers
    let source = DerivedCovers { key throws(CoverError) in
      // The feed puts a number and a mark before the name.
      try covers.encodedCover(for: String(key.drop { $0 != "#" }.dropFirst()))
    }
    shelf = try ScrollingShelf(
      books: Self.feed(of: library, count: rows * columns), columns: columns, source: source,
      folder: context.scratchDirectory, options: ScrollOptions(parameters))
    clock = FrameClock(refresh: parameters[Self.refresh], paced: true)
  }

  mutating func measure(_ context: MeasurementContext) throws {
    var trend = SoakTrend()
    let began = ContinuousClock.now
    for number in 0..<flings {
      let start = fling.distance * Double(number)
      try clock.animate("fling", for: .seconds(fling.seconds)) { frame in
        let before = ContinuousClock.now
        shelf.draw(at: start + fling.position(at: frame.seconds), isForward: true, time: frame.time)
        let after = ContinuousClock.now
        try trend.add(frame: after - before, at: after - began)
      }
    }
    CacheCounters.report(shelf.covers, to: context)
    context.report("soak.flings", flings)
    context.report("soak.rss_growth", trend.memoryGrowth)
    context.report("soak.p99_drift", trend.p99Drift)
  }

  /// Repeats the books of a library with different cover names each time.
  private static func feed(of library: [BookRow], count: Int) -> [BookRow] {
    (0..<count).map { index in
      var book = library[index % library.count]
      book.cover = book.cover.map { "\(index / library.count)#\($0)" }
      return book
    }
  }
}
