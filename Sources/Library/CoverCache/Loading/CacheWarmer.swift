/// Loads covers for later use, a few at a time, beside a frame loop.
///
///     var warmer = CacheWarmer(cache: cache, keys: keys, pace: .adaptive)
///     // each frame:
///     warmer.advance(to: time, slack: deadline - now)
public struct CacheWarmer: Sendable {
  /// The speed at which covers are loaded.
  public enum Pace: String, CaseIterable, Sendable {
    /// All covers at once.
    case burst
    /// One cover every 100 ms, also if it is already in memory: the case study's pace.
    case fixed
    /// One cover every 100 ms; covers already in memory are skipped at once.
    case afterMiss = "after-miss"
    /// The next cover when the last one has arrived and the last frame had time left.
    case adaptive
  }

  private let cache: CoverCache
  private let keys: [String]
  private let pace: Pace
  private var next = 0
  private var pending: [CoverRequest] = []
  private var dueAt = Duration.zero
  private static let interval = Duration.milliseconds(100)
  /// The slack that a frame must have before the next cover is loaded.
  private static let leastSlack = Duration.milliseconds(4)

  /// Creates a warmer that will fill a cache with thumbnails, the most urgent first.
  public init(cache: CoverCache, keys: [String], pace: Pace) {
    self.cache = cache
    self.keys = keys
    self.pace = pace
  }

  /// Whether every cover is in memory or has failed.
  public var isDone: Bool {
    next == keys.count && pending.allSatisfy { $0.result != nil }
  }

  /// Requests the covers that are due at a time since the warming began.
  ///
  /// `slack` is the unused time of the last frame; negative when it was late.
  public mutating func advance(to time: Duration, slack: Duration) {
    pending.removeAll { $0.result != nil }
    switch pace {
    case .burst:
      guard next < keys.count else { return }
      let missing = keys[next...].filter { !cache.contains($0) }
      pending = cache.request(missing, priority: .prefetch)
      next = keys.count
    case .fixed, .afterMiss:
      while next < keys.count, time >= dueAt {
        let isHeld = cache.contains(keys[next])
        if !isHeld { pending.append(cache.request(keys[next], priority: .prefetch)) }
        if pace == .fixed || !isHeld { dueAt = time + Self.interval }
        next += 1
      }
    case .adaptive:
      guard pending.isEmpty, slack >= Self.leastSlack else { return }
      while next < keys.count, cache.contains(keys[next]) { next += 1 }
      guard next < keys.count else { return }
      pending.append(cache.request(keys[next], priority: .prefetch))
      next += 1
    }
  }
}
