/// Whether covers that were loaded ahead were seen, and in time.
public struct PrefetchMetrics: Equatable, Sendable {
  /// Covers that were asked for ahead.
  public var requestedCount = 0
  /// Covers that were withdrawn before they were loaded.
  public var cancelledCount = 0
  /// Covers that were in memory when they came into sight, since they had been asked for ahead.
  public var usedCount = 0
  /// Covers that were asked for ahead and were still on their way when they came into sight.
  public var lateCount = 0
  /// Covers that came into sight, were not in memory, and had not been asked for ahead.
  public var missedCount = 0
  /// Covers that were loaded ahead and have not been seen.
  public var wastedCount = 0
  /// The bytes of those.
  public var wastedBytes = 0

  /// Makes the metrics of a prefetcher that has done nothing.
  public init() {}

  /// Of the covers that were loaded ahead, how many were seen; 1 when there were none.
  public var accuracy: Double {
    share(usedCount + lateCount, of: usedCount + lateCount + wastedCount)
  }

  /// Of the covers that would have been missing, how many were there in time; 1 when there were none.
  public var coverage: Double { share(usedCount, of: usedCount + lateCount + missedCount) }

  /// Of the covers that were asked for ahead and seen, how many came too late; 0 when there were none.
  public var lateness: Double { 1 - share(usedCount, of: usedCount + lateCount) }

  private func share(_ part: Int, of whole: Int) -> Double {
    whole > 0 ? Double(part) / Double(whole) : 1
  }
}
