/// Decoded covers in memory, by key.
public protocol MemoryTier: AnyObject, Sendable {
  /// Returns a cover and counts a hit, or nil and counts a miss.
  func cover(for key: String) -> PixelBuffer?
  /// Whether a cover is held; counts nothing.
  func contains(_ key: String) -> Bool
  /// Holds a cover from now on, if the tier's limits let it in.
  func insert(_ cover: PixelBuffer, for key: String)
  /// Lets covers go until at most some bytes are held, and returns how many bytes went.
  func shrink(toBytes bytes: Int) -> Int
  /// What the tier has done and holds.
  var metrics: CacheMetrics { get }
}

/// Which tier a cache keeps its covers in.
public enum MemoryPolicy: String, CaseIterable, Sendable {
  /// A dictionary that holds everything for ever: what the case study began with.
  case dictionary
  /// Limits by count and bytes; the least recently used cover leaves first.
  case lru

  /// Makes an empty tier.
  ///
  /// - Parameter limits: What a tier with limits keeps to.
  /// - Returns: A tier of this policy.
  public func makeTier(limits: TierLimits) -> any MemoryTier {
    switch self {
    case .dictionary: DictionaryTier()
    case .lru: BoundedTier(limits: limits, policy: LRUPolicy())
    }
  }
}
