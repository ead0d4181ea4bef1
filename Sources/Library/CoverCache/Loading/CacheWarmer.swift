/// Loads covers that will be wanted, a few at a time, beside a frame loop.
///
///     var warmer = CacheWarmer(cache: cache, keys: keys, pace: .adaptive)
///     // each frame:
///     warmer.advance(to: time, slack: deadline - now)
public struct CacheWarmer: Sendable {
  /// How fast covers are loaded.
  public enum Pace: String, CaseIterable, Sendable {
    /// All at once.
    case burst
    /// One each 100 ms, also when it is in memory already: the case study's.
    case fixed
    /// One each 100 ms; what is in memory already takes no time.
    case afterMiss = "after-miss"
    /// The next one as soon as the last is there and the frame before had time left.
    case adaptive
  }

  private let cache: CoverCache
  private let keys: [String]
  private let pace: Pace
  private var next = 0
  private var request: CoverRequest?
  private var pending: [CoverRequest] = []
  private var dueAt = Duration.zero
  private static let interval = Duration.milliseconds(100)
  /// A frame that has less time left than this has none for anybody else.
  private static let leastSlack = Duration.milliseconds(4)

  /// Makes a warmer that has loaded nothing.
  ///
  /// - Parameters:
  ///   - cache: Where the covers go, as thumbnails.
  ///   - keys: The covers, the most urgent first.
  ///   - pace: How fast.
  public init(cache: CoverCache, keys: [String], pace: Pace) {
    self.cache = cache
    self.keys = keys
    self.pace = pace
  }

  /// Whether all covers are in memory, or have failed.
  public var isDone: Bool {
    next == keys.count && (request == nil || request?.result != nil)
      && pending.allSatisfy { $0.result != nil }
  }

  /// Asks for what is due.
  ///
  /// - Parameters:
  ///   - time: Since the warming began.
  ///   - slack: What the last frame left of its time; negative when it was late.
  public mutating func advance(to time: Duration, slack: Duration) {
    switch pace {
    case .burst:
      guard next < keys.count else { return }
      let missing = keys[next...].filter { !cache.contains($0) }
      pending = cache.request(missing, priority: .prefetch)
      next = keys.count
    case .fixed, .afterMiss:
      while next < keys.count, time >= dueAt {
        let isHeld = cache.contains(keys[next])
        if !isHeld { request = cache.request(keys[next], priority: .prefetch) }
        if pace == .fixed || !isHeld { dueAt = time + Self.interval }
        next += 1
      }
    case .adaptive:
      guard request == nil || request?.result != nil, slack >= Self.leastSlack else { return }
      while next < keys.count, cache.contains(keys[next]) { next += 1 }
      guard next < keys.count else { return }
      request = cache.request(keys[next], priority: .prefetch)
      next += 1
    }
  }
}
