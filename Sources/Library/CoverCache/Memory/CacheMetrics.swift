/// What a cache tier has done so far and holds now.
public struct CacheMetrics: Equatable, Sendable {
  /// Look-ups that found their object.
  public var hitCount = 0
  /// Look-ups that did not.
  public var missCount = 0
  /// Objects that left to keep a limit, not counting the ones that pressure or the caller removed.
  public var evictionCount = 0
  /// The bytes of all objects held, whatever they count for against a limit.
  public var memoryUsage = 0
  /// How many objects are held.
  public var objectCount = 0
  /// The bytes of objects that are on their way and for which room is kept.
  public var reservedBytes = 0
  /// Objects that were not held because they were over a limit alone.
  public var refusedCount = 0

  /// Makes the metrics of a tier that nothing has happened to.
  public init() {}

  /// All look-ups.
  public var totalRequests: Int { hitCount + missCount }
  /// Hits by look-ups, 0 when there were none.
  public var hitRatio: Double {
    totalRequests > 0 ? Double(hitCount) / Double(totalRequests) : 0
  }
}
