/// The counters of a cache's loader threads.
public struct LoadMetrics: Equatable, Sendable {
  /// Loads that a thread started.
  public var startedCount = 0
  /// Loads that ended with a cover, which a prefetch may leave encoded.
  public var finishedCount = 0
  /// Loads that ended with an error.
  public var failedCount = 0
  /// Loads that were cancelled, before or after they started.
  public var cancelledCount = 0
  /// Requests that joined a waiting or running load.
  public var joinedCount = 0
  /// Loads that failed temporarily and were scheduled for a retry.
  public var retriedCount = 0
  /// The largest number of concurrent loads.
  public var highestConcurrency = 0
  /// Loads that are waiting or running now.
  public var pendingCount = 0
}
