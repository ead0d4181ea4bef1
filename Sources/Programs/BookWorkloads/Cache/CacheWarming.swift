internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Warms a cache while frames are drawn, and measures its duration and its effect on frames.
struct CacheWarming: LibraryWorkload {
  static let name = "book.warming"
  static let summary = "Loads covers ahead of their use while frames are drawn."
  static let pace = Parameter(
    "pace", default: CacheWarmer.Pace.adaptive, "Pace at which covers are loaded.")
  static let held = Parameter(
    "held", default: 20, in: 0...100, "Covers that are in memory at the start, in percent.")
  static let seconds = Parameter(
    "seconds", default: 15.0, in: 0.1...600, "Time limit of the warming, in seconds.")
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 100) + [refresh, pace, held, loads, nice, seconds]
  static let counters: [CounterDeclaration] = [
    .time(
      "warming.time", .lower, scale: .ratio,
      "Time until all covers were in memory, or until the time limit."),
    .count("warming.covers", .higher, "Covers in memory at the end."),
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
    let dataset = BookDataset(context)
    let books = try dataset.allBooks()
    keys = books.compactMap(\.cover)
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = parameters[Self.loads]
    configuration.loaderNice = parameters[Self.nice]
    configuration.thumbnailSize = ShelfLayout.cover
    configuration.thumbnailLimits = TierLimits(count: max(1, keys.count))
    cache = try CoverCache(source: dataset.covers, configuration: configuration)
    // The held covers are spread over the whole queue, so that hits are mixed with misses.
    let held = parameters[Self.held]
    for (index, key) in keys.enumerated() where index * held / 100 < (index + 1) * held / 100 {
      _ = try cache.load(key)
    }
    pace = parameters[Self.pace]
    refresh = parameters[Self.refresh]
    seconds = parameters[Self.seconds]
    clock = FrameClock(refresh: refresh, paced: true)
    // The frames draw the first screen from a separate, filled cache.
    shelf = try ScrollingShelf(
      books: books, columns: 3, source: dataset.covers, folder: context.scratchDirectory,
      options: ScrollOptions(try ParameterValues(of: ScrollOptions.parameters)))
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

  /// The error that ends the animation when all covers are loaded.
  private struct Done: Error {
    let time: Duration
  }
}
