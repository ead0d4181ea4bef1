/// What the loaders of a cache have done so far.
public struct LoadMetrics: Equatable, Sendable {
  /// Loads that a thread began.
  public var startedCount = 0
  /// Loads that ended with a cover.
  public var finishedCount = 0
  /// Loads that ended with an error.
  public var failedCount = 0
  /// Loads that were cancelled, before or after they began.
  public var cancelledCount = 0
  /// Requests that joined a load that was waiting or running already.
  public var joinedCount = 0
  /// Loads that failed for the moment and were put off to be tried again.
  public var retriedCount = 0
  /// The most loads that ran at one time.
  public var highestConcurrency = 0
  /// Loads that wait or run now.
  public var pendingCount = 0

  /// Makes the metrics of loaders that have done nothing.
  public init() {}
}
