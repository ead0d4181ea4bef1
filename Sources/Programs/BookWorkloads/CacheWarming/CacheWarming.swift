internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Warms a cache while frames are drawn: how long it takes, and how many frames come late for it.
struct CacheWarming: Workload {
  static let name = "book.warming"
  static let summary = "Loads covers that will be wanted while frames are drawn."
  static let parameters =
    DatasetRequest.parameters(books: 100) + [
      .double("refresh", default: 120, in: 1...1_000, "Refresh rate of the display, in hertz."),
      .choice("pace", default: CacheWarmer.Pace.adaptive, "How fast covers are loaded."),
      .int("held", default: 20, in: 0...100, "Covers in memory from the beginning, in percent."),
      .int("loads", default: 3, in: 1...64, "Covers loaded at one time."),
      .int("nice", default: 19, in: 0...19, "Nice value of the loader threads."),
      .double("seconds", default: 15, in: 0.1...600, "After how long the warming is given up."),
    ]
  static let counters = [
    CounterDeclaration(
      "warming.time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Time until all covers were in memory, or until it was given up."),
    CounterDeclaration(
      "warming.covers", unit: .count, direction: .higher, "Covers in memory at the end."),
  ]

  private let clock: FrameClock
  private let refresh: Double
  private let seconds: Double
  private let cache: CoverCache
  private let keys: [String]
  private let pace: CacheWarmer.Pace
  private var shelf: ScrollingShelf

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = try BookDataset(context)
    let books = try dataset.allBooks()
    keys = books.compactMap(\.cover)
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = try parameters.int("loads")
    configuration.loaderNice = try parameters.int("nice")
    configuration.thumbnailSize = ShelfLayout.cover
    configuration.thumbnailLimits = TierLimits(count: max(1, keys.count))
    cache = try CoverCache(source: dataset.covers, configuration: configuration)
    // Each fifth cover, say, and not the first fifth: the queue meets hits all the way.
    let held = try parameters.int("held")
    for (index, key) in keys.enumerated() where index * held / 100 < (index + 1) * held / 100 {
      _ = try cache.load(key)
    }
    pace = try parameters.choice("pace")
    refresh = try parameters.double("refresh")
    seconds = try parameters.double("seconds")
    clock = FrameClock(refresh: refresh, paced: true)
    // What is drawn meanwhile: the first screen, with a cache of its own that is filled already.
    shelf = try ScrollingShelf(
      books: books, columns: 3, source: dataset.covers, folder: context.scratchDirectory,
      options: try ScrollOptions(ParameterValues(of: ScrollOptions.parameters)))
    repeat { shelf.draw(at: 0, isForward: true) } while shelf.isWaiting
  }

  mutating func measure(_ context: MeasurementContext) throws {
    var warmer = CacheWarmer(cache: cache, keys: keys, pace: pace)
    let period = Duration.seconds(1 / refresh)
    var slack = period
    var ended: Duration?
    do throws(Done) {
      try clock.animate("warming", for: .seconds(seconds)) { frame throws(Done) in
        let began = ContinuousClock.now
        shelf.draw(at: 0, isForward: true)
        warmer.advance(to: frame.time, slack: slack)
        slack = period - (ContinuousClock.now - began)
        if warmer.isDone { throw Done(time: frame.time + period) }
      }
    } catch {
      ended = error.time
    }
    context.report("warming.time", (ended ?? .seconds(seconds)).nanoseconds)
    context.report("warming.covers", cache.metrics(of: .thumbnail).objectCount)
  }

  /// Ends the animation when all covers are there.
  private struct Done: Error {
    let time: Duration
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }
}
