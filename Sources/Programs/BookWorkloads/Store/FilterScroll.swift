internal import LibraryStore
internal import PerfWorkload

/// Types into a search field while the shelf scrolls.
final class FilterScroll: Workload {
  static let name = "book.filter"
  static let summary = "Types titles into a search field while the shelf scrolls."
  static let works = Parameter("works", default: 10_000, in: 100...50_000, "Works in the library.")
  static let titles = Parameter("titles", default: 4, in: 1...50, "Titles to type.")
  static let interval = Parameter(
    "interval", default: 100, in: 10...1_000, "Milliseconds between two letters.")
  static let results = Parameter(
    "results", default: 300, in: 15...50_000, "Limit of books per search.")
  static let speed = Parameter(
    "speed", default: 600.0, in: 0...10_000, "Speed of the shelf, in points per second.")
  static let search = Parameter(
    "search", default: LibraryConfiguration.SearchStrategy.fullText, "Search method.")
  static let parameters: [any WorkloadParameter] = [
    works, titles, interval, results, refresh, speed, search,
  ]
  static let counters: [CounterDeclaration] = [
    .time(
      "search.keystroke_time", .lower, scale: .ratio,
      "Mean time from typing a letter to its search results."),
    .time(
      "search.keystroke_longest", .lower, scale: .ratio,
      "Longest time from typing a letter to its search results."),
    .time(
      "search.begin_time", .lower, scale: .ratio,
      "Time to prepare the search before the first letter, e.g. to fetch all books."),
    .count(
      "search.keystrokes", .neutral,
      "Letters that were searched; a letter that comes during a late frame is skipped."),
    .count("search.results", .neutral, isExact: true, "Books found by the complete titles."),
  ]

  private let texts: [String]
  private let titles: [String]
  private let interval: Double
  private let limit: Int
  private let speed: Double
  private let clock: FrameClock
  private let library: LibraryStore
  private let framebuffer: Framebuffer

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = StoreDataset(context, works: context[Self.works], editions: 1)
    library = try dataset.openCopy(
      LibraryConfiguration(schema: .searchable, search: parameters[Self.search]),
      in: context.scratchDirectory)
    let generator = BookGenerator(seed: context.seed)
    var random = SplitMix64(seed: context.seed, stream: 3)
    titles = (0..<parameters[Self.titles]).map { _ in
      generator.book(random.below(dataset.works), editions: 1, cover: "").title
    }
    texts = titles.flatMap { title in (1...max(1, title.count)).map { String(title.prefix($0)) } }
    interval = Double(parameters[Self.interval]) / 1_000
    limit = parameters[Self.results]
    speed = parameters[Self.speed]
    clock = FrameClock(refresh: parameters[Self.refresh], paced: true)
    framebuffer = Framebuffer(size: ShelfLayout(count: 0).screen)
  }

  func measure(_ context: MeasurementContext) throws {
    var beginning = Stopwatch()
    var search = try beginning.time { () throws(LibraryError) in
      try Phase.search.measure { () throws(LibraryError) in try library.beginSearch() }
    }
    context.report("search.begin_time", beginning.mean)
    var watch = Stopwatch()
    var typed = -1
    var rows: [BookRow] = []
    let length = Duration.milliseconds(Int(Double(texts.count) * interval * 1_000))
    try clock.animate("typing", for: length) { frame throws(LibraryError) in
      let letter = min(texts.count - 1, Int(frame.seconds / interval))
      if letter != typed {
        typed = letter
        rows = try watch.time { () throws(LibraryError) in
          try Phase.search.measure { () throws(LibraryError) in
            try search.results(for: texts[letter], limit: limit)
          }
        }
      }
      draw(rows, after: frame.seconds)
    }
    context.report("search.keystroke_time", watch.mean)
    context.report("search.keystroke_longest", watch.longest.nanoseconds)
    context.report("search.keystrokes", watch.count)
    context.report(
      "search.results",
      try titles.reduce(0) { try $0 + search.results(for: $1, limit: limit).count })
  }

  /// Draws the search results; the shelf scrolls down and starts again at the end.
  private func draw(_ rows: [BookRow], after seconds: Double) {
    let layout = ShelfLayout(count: rows.count)
    let range = max(1, layout.farthestOffset)
    let offset = min(
      layout.farthestOffset, Int(seconds * speed * ShelfLayout.pixelsPerPoint) % range)
    Phase.composite.measure {
      ShelfPainter(framebuffer: framebuffer, layout: layout)
        .paint(rows, at: offset) { _ in ShelfPainter.Cell() }
    }
  }

  // MARK: - Setup

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try StoreDataset(context, works: context[Self.works], editions: 1)
      .setUp(.searchable, context)
  }
}
