internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Flings through the library and counts the prefetched covers that are displayed in time.
///
/// Nothing is drawn; frames only look up and request covers.
struct PrefetchSweep: LibraryWorkload {
  /// The strategy that selects covers to prefetch.
  enum Strategy: String, CaseIterable {
    case none
    case neighbours
    case ahead
    case adaptive
  }

  static let name = "book.prefetch"
  static let summary = "Flings through the library while covers are prefetched."
  static let seconds = Parameter(
    "seconds", default: 6.0, in: 0.05...600, "Longest duration of the fling, in seconds.")
  static let strategy = Parameter(
    "strategy", default: Strategy.ahead, "Strategy that selects covers to prefetch.")
  static let distance = Parameter(
    "distance", default: 20, in: 0...500, "Covers to prefetch, for strategies with a number.")
  static let scrollAware = Parameter(
    "scroll_aware", default: false, "Whether loading pauses while the list is fast.")
  static let latency = Parameter(
    "latency", default: 0, in: 0...10_000,
    "Median latency of a cover's source, in milliseconds; 0 reads files.")
  static let sortedAfter = Parameter(
    "sorted_after", default: 3.0, in: 0...600, "Seconds until the list is reversed.")
  static let cancelled = Parameter(
    "cancelled", default: true, "Whether prefetches of unwanted covers are cancelled.")
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 1_000) + [
      refresh, fling, seconds, strategy, distance, loads, nice, latency, scrollAware, sortedAfter,
      cancelled,
    ]
  static let counters: [CounterDeclaration] =
    CacheCounters.declarations + [
      .ratio("prefetch.accuracy", .higher, "Share of the prefetched covers that were displayed."),
      .ratio(
        "prefetch.coverage", .higher,
        "Share of the covers missing without prefetching that were loaded in time."),
      .ratio(
        "prefetch.lateness", .lower,
        "Share of the displayed prefetched covers that were loaded too late."),
      .bytes("prefetch.wasted", .lower, "Size of the prefetched covers that were not displayed."),
      .time(
        "prefetch.cancel_time", .lower,
        "Time to cancel the pending loads when the list was reversed."),
    ]

  private let clock: FrameClock
  private let fling: Fling
  private let seconds: Double
  private let sortedAfter: Double
  private var list: PrefetchedList

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = BookDataset(context)
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = parameters[Self.loads]
    configuration.loaderNice = parameters[Self.nice]
    configuration.thumbnailSize = ShelfLayout.cover
    let distance = parameters[Self.distance]
    let strategy: PrefetchStrategy =
      switch parameters[Self.strategy] {
      case .none: .none
      case .neighbours: .neighbours(distance)
      case .ahead: .ahead(distance)
      case .adaptive: .adaptive
      }
    let keys = try dataset.allBooks().compactMap(\.cover)
    list = PrefetchedList(
      keys: keys,
      cache: try CoverCache(
        source: Self.source(dataset, latency: parameters[Self.latency], seed: context.seed),
        configuration: configuration),
      strategy: strategy, isScrollAware: parameters[Self.scrollAware],
      isCancelling: parameters[Self.cancelled])
    clock = FrameClock(refresh: parameters[Self.refresh], paced: true)
    let peak = parameters[Self.fling]
    seconds = parameters[Self.seconds]
    fling = Fling(distance: min(list.farthestOffset, peak * seconds * 0.9), peak: peak)
    sortedAfter = parameters[Self.sortedAfter]
  }

  mutating func measure(_ context: MeasurementContext) throws {
    var isSorted = false
    // A list that fits on the screen is displayed for a moment.
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

  /// Returns the covers on the disk, or in a reliable network with a latency.
  private static func source(
    _ dataset: BookDataset, latency: Int, seed: UInt64
  ) -> any CoverSource {
    guard latency > 0 else { return dataset.covers }
    var behaviour = SimulatedNetwork.Behaviour()
    behaviour.latency = .milliseconds(latency)
    behaviour.failurePercent = 0
    return SimulatedNetwork(origin: dataset.covers, behaviour: behaviour, seed: seed)
  }
}
