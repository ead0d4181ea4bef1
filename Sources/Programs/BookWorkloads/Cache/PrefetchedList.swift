internal import CoverCache

/// A scrolled list of covers that tracks visible, requested and next covers.
struct PrefetchedList {
  let cache: CoverCache
  /// The time to cancel the pending loads.
  private(set) var cancelTime = Duration.zero
  private var keys: [String]
  private let layout: ShelfLayout
  private let strategy: PrefetchStrategy
  private let isScrollAware: Bool
  private var prefetcher: CoverPrefetcher
  private var scroll = ScrollAwareness()
  private var visible = 0..<0
  private var requests: [Int: CoverRequest] = [:]
  private var isHeldBack = false
  private var last: (offset: Double, time: Duration) = (0, .zero)

  init(
    keys: [String], cache: CoverCache, strategy: PrefetchStrategy, isScrollAware: Bool,
    isCancelling: Bool
  ) {
    self.keys = keys
    self.cache = cache
    self.strategy = strategy
    self.isScrollAware = isScrollAware
    layout = ShelfLayout(count: keys.count)
    prefetcher = CoverPrefetcher(cache: cache, isCancelling: isCancelling)
  }

  /// The largest scroll offset, in points.
  var farthestOffset: Double { Double(layout.farthestOffset) / ShelfLayout.pixelsPerPoint }

  var metrics: PrefetchMetrics { prefetcher.metrics }

  /// Displays the list at an offset in points: looks up the new covers and requests missing ones.
  mutating func show(at offset: Double, time: Duration) {
    let elapsed = Double(max(1, (time - last.time).nanoseconds)) / 1e9
    let velocity = (offset - last.offset) / elapsed
    last = (offset, time)
    let now = layout.visible(at: Int((offset * ShelfLayout.pixelsPerPoint).rounded()))
    let mayLoad = scroll.update(velocity: velocity, at: time) || !isScrollAware
    guard now != visible || isHeldBack && mayLoad else { return }
    let gone = visible.filter { !now.contains($0) }
    cache.cancel(gone.compactMap { requests.removeValue(forKey: $0) })
    let appearing = now.filter { !visible.contains($0) }
    for index in appearing {
      prefetcher.appeared(keys[index])
      // The look-up counts a hit or a miss; missing covers are requested below.
      _ = cache.thumbnail(for: keys[index])
    }
    if mayLoad { ask(for: isHeldBack ? Array(now) : appearing) }
    isHeldBack = !mayLoad
    visible = now
    guard mayLoad else { return }
    let rows = velocity * ShelfLayout.pixelsPerPoint / Double(ShelfLayout.rowHeight)
    let ahead = strategy.indices(
      around: now, of: keys.count, velocity: rows * Double(layout.columns))
    prefetcher.want(ahead.map { keys[$0] })
  }

  /// Reverses the list: the covers being loaded are then no longer the next to appear.
  mutating func turnRound() {
    keys.reverse()
    let began = ContinuousClock.now
    prefetcher.cancelAll()
    // Cells that disappear cancel their requests in every variant, here as in a row change.
    cache.cancel(Array(requests.values))
    cancelTime = ContinuousClock.now - began
    requests = [:]
    visible = 0..<0
  }

  private mutating func ask(for indices: [Int]) {
    let missing = indices.filter { requests[$0] == nil && !cache.contains(keys[$0]) }
    for (index, request) in zip(missing, cache.request(missing.map { keys[$0] })) {
      requests[index] = request
    }
  }
}
