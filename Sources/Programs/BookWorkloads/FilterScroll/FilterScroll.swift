internal import LibraryStore
internal import PerfWorkload

/// Types into a search field while the shelf scrolls.
final class FilterScroll: Workload {
  /// How the books are searched.
  enum Search: String, CaseIterable {
    case refetch
    case inMemory = "in-memory"
    case fullText = "full-text"

    var strategy: LibraryConfiguration.SearchStrategy {
      switch self {
      case .refetch: .refetch
      case .inMemory: .inMemory
      case .fullText: .fullText
      }
    }
  }

  static let name = "book.filter"
  static let summary =
    "Types titles into a search field, letter by letter, while the shelf scrolls."
  static let parameters: [ParameterDeclaration] = [
    .int("works", default: 10_000, in: 100...50_000, "Works in the library."),
    .int("titles", default: 4, in: 1...50, "Titles that are typed."),
    .int("interval", default: 100, in: 10...1_000, "Milliseconds from one letter to the next."),
    .int("results", default: 300, in: 15...50_000, "Books that a search gives at most."),
    .double("refresh", default: 120, in: 1...1_000, "Refresh rate of the display, in hertz."),
    .double("speed", default: 600, in: 0...10_000, "Points a second that the shelf scrolls."),
    .choice("search", default: Search.fullText, "How the books are searched."),
  ]
  static let counters = [
    CounterDeclaration(
      "search.keystroke_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time from a letter to its books."),
    CounterDeclaration(
      "search.keystroke_longest", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "The longest time from a letter to its books."),
    CounterDeclaration(
      "search.keystrokes", unit: .count, direction: .neutral,
      "Letters that were answered; one that comes while the frame before is late is passed over."),
    CounterDeclaration(
      "search.results", unit: .count, direction: .neutral, isDeterministic: true,
      "Books that the whole titles found."),
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
    let dataset = try StoreDataset(context, editions: 1)
    let search: Search = try parameters.choice("search")
    library = try dataset.openCopy(
      LibraryConfiguration(schema: .searchable, search: search.strategy),
      in: context.scratchDirectory)
    let generator = BookGenerator(seed: context.seed)
    var random = SplitMix64(seed: context.seed, stream: 3)
    titles = (0..<(try parameters.int("titles"))).map { _ in
      generator.book(random.below(dataset.works), editions: 1, cover: "").title
    }
    texts = titles.flatMap { title in (1...max(1, title.count)).map { String(title.prefix($0)) } }
    interval = Double(try parameters.int("interval")) / 1_000
    limit = try parameters.int("results")
    speed = try parameters.double("speed")
    clock = FrameClock(refresh: try parameters.double("refresh"), paced: true)
    framebuffer = Framebuffer(size: ShelfLayout(count: 0).screen)
  }

  func measure(_ context: MeasurementContext) throws {
    var search = try Phase.search.measure { () throws(LibraryError) in try library.beginSearch() }
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

  /// Draws the books that were found last; the shelf goes down and begins again.
  private func draw(_ rows: [BookRow], after seconds: Double) {
    let layout = ShelfLayout(count: rows.count)
    let range = max(1, layout.farthestOffset)
    let offset = min(layout.farthestOffset, Int(seconds * speed * 2) % range)
    Phase.composite.measure {
      ShelfPainter(framebuffer: framebuffer, layout: layout)
        .paint(rows, at: offset) { _ in ShelfPainter.Cell() }
    }
  }

  // MARK: - Setup

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try StoreDataset(context, editions: 1)
      .setUp(.searchable, context)
  }
}

extension Phase {
  fileprivate static let search: Phase = "search"
}
