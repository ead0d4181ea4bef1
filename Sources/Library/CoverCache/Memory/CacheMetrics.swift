/// The counters and content size of a cache tier.
public struct CacheMetrics: Equatable, Sendable {
  /// Look-ups that found their object.
  public var hitCount = 0
  /// Look-ups that found nothing.
  public var missCount = 0
  /// Objects that were evicted to keep a limit, without removals by pressure or the caller.
  public var evictionCount = 0
  /// The bytes of all objects in the tier, whatever their cost.
  public var memoryUsage = 0
  /// The number of objects in the tier.
  public var objectCount = 0
  /// The bytes reserved for objects that are being loaded.
  public var reservedBytes = 0
  /// Objects that were refused because they alone exceeded a limit.
  public var refusedCount = 0

  /// Creates counters of zero.
  public init() {}

  /// The number of look-ups.
  public var totalRequests: Int { hitCount + missCount }
  /// Hits divided by look-ups; 0 without look-ups.
  public var hitRatio: Double {
    totalRequests > 0 ? Double(hitCount) / Double(totalRequests) : 0
  }
}
