internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Flings through the library and looks which of the covers that were loaded ahead are seen in time.
///
/// Nothing is drawn: frames look covers up and ask for them.
struct PrefetchSweep: Workload {
  /// Which covers are loaded ahead.
  enum Strategy: String, CaseIterable {
    case none
    case neighbours
    case ahead
    case adaptive
  }

  static let name = "book.prefetch"
  static let summary = "Flings through the library while covers are loaded ahead."
  static let parameters =
    DatasetRequest.parameters(books: 1_000) + [
      .double("refresh", default: 120, in: 1...1_000, "Refresh rate of the display, in hertz."),
      .double("fling", default: 4_000, in: 100...100_000, "Peak speed, in points a second."),
      .double("seconds", default: 6, in: 0.05...600, "How long the fling lasts, at most."),
      .choice("strategy", default: Strategy.ahead, "Which covers are loaded ahead."),
      .int("distance", default: 20, in: 0...500, "How many, where the strategy has a number."),
      .int("loads", default: 3, in: 1...64, "Covers loaded at one time."),
      .int("nice", default: 19, in: 0...19, "Nice value of the loader threads."),
      .bool("scroll_aware", default: false, "Whether nothing is loaded while the list is fast."),
      .double("sorted_after", default: 3, in: 0...600, "Seconds until the list is turned round."),
      .bool("cancelled", default: true, "Whether what is on its way is withdrawn then."),
    ]
  static let counters =
    CacheCounters.declarations + [
      CounterDeclaration(
        "prefetch.accuracy", unit: .ratio, direction: .higher,
        "Covers that were seen, of those that were loaded ahead."),
      CounterDeclaration(
        "prefetch.coverage", unit: .ratio, direction: .higher,
        "Covers that were there in time, of those that would have been missing."),
      CounterDeclaration(
        "prefetch.lateness", unit: .ratio, direction: .lower,
        "Covers that came too late, of those that were loaded ahead and seen."),
      CounterDeclaration(
        "prefetch.wasted", unit: .bytes, direction: .lower,
        "Bytes of covers that were loaded ahead and not seen."),
      CounterDeclaration(
        "prefetch.cancel_time", unit: .nanoseconds, direction: .lower,
        "Time to withdraw what was on its way when the list was turned round."),
    ]

  private let clock: FrameClock
  private let fling: Fling
  private let seconds: Double
  private let sortedAfter: Double
  private var list: PrefetchedList

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = try BookDataset(context)
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = try parameters.int("loads")
    configuration.loaderNice = try parameters.int("nice")
    configuration.thumbnailSize = ShelfLayout.cover
    let distance = try parameters.int("distance")
    let strategy: PrefetchStrategy =
      switch try parameters.choice("strategy", as: Strategy.self) {
      case .none: .none
      case .neighbours: .neighbours(distance)
      case .ahead: .ahead(distance)
      case .adaptive: .adaptive(PrefetchStrategy.Adaptation())
      }
    let keys = try dataset.allBooks().compactMap(\.cover)
    list = PrefetchedList(
      keys: keys, cache: try CoverCache(source: dataset.covers, configuration: configuration),
      strategy: strategy, isScrollAware: try parameters.bool("scroll_aware"),
      isCancelling: try parameters.bool("cancelled"))
    clock = FrameClock(refresh: try parameters.double("refresh"), paced: true)
    let peak = try parameters.double("fling")
    seconds = try parameters.double("seconds")
    fling = Fling(distance: min(list.farthestOffset, peak * seconds * 0.9), peak: peak)
    sortedAfter = try parameters.double("sorted_after")
  }

  mutating func measure(_ context: MeasurementContext) throws {
    var isSorted = false
    // A list that fits the screen is looked at for a moment.
    let duration = Duration.seconds(min(seconds, max(fling.seconds, 0.05)))
    clock.animate("fling", for: duration) { frame in
      if !isSorted, frame.seconds >= sortedAfter {
        isSorted = true
        Phase.cache.measure { list.turnRound() }
      }
      Phase.cache.measure {
        list.show(at: fling.position(at: frame.seconds), time: frame.time)
      }
    }
    CacheCounters.report(list.cache, to: context)
    let metrics = list.metrics
    context.report("prefetch.accuracy", metrics.accuracy)
    context.report("prefetch.coverage", metrics.coverage)
    context.report("prefetch.lateness", metrics.lateness)
    context.report("prefetch.wasted", metrics.wastedBytes)
    context.report("prefetch.cancel_time", list.cancelTime.nanoseconds)
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }
}
