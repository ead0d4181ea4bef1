/// Counters of prefetching: how many covers were seen, and how many of them arrived in time.
public struct PrefetchMetrics: Equatable, Sendable {
  /// Covers that were requested ahead.
  public var requestedCount = 0
  /// Covers whose requests were cancelled before they were loaded.
  public var cancelledCount = 0
  /// Covers that were in memory when they became visible, because they had been prefetched.
  public var usedCount = 0
  /// Covers that were requested ahead and still loading when they became visible.
  public var lateCount = 0
  /// Covers that became visible without being in memory or requested ahead.
  public var missedCount = 0
  /// Covers that were prefetched and have not been seen.
  public var wastedCount = 0
  /// The bytes of the wasted covers.
  public var wastedBytes = 0

  /// The share of the prefetched covers that were seen; 1 when none was prefetched.
  public var accuracy: Double {
    share(usedCount + lateCount, of: usedCount + lateCount + wastedCount)
  }

  /// The share of otherwise missing covers that arrived in time; 1 when none was missing.
  public var coverage: Double { share(usedCount, of: usedCount + lateCount + missedCount) }

  /// The share of the prefetched and seen covers that came too late; 0 when there were none.
  public var lateness: Double { 1 - share(usedCount, of: usedCount + lateCount) }

  private func share(_ part: Int, of whole: Int) -> Double {
    whole > 0 ? Double(part) / Double(whole) : 1
  }
}
