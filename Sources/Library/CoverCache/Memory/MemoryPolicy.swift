/// Which tier a cache keeps its covers in.
public enum MemoryPolicy: String, CaseIterable, Sendable {
  /// A dictionary that holds everything for ever: what the case studies began with.
  case dictionary
  /// Foundation's `NSCache`: what the case studies went on to.
  case nsCache = "nscache"
  /// The least recently used cover leaves first.
  case lru
  /// The oldest cover that was not asked for lately leaves first.
  case sieve
  /// Covers that are not asked for twice leave first.
  case s3FIFO = "s3-fifo"
  /// Covers that are asked for less often than those they would drive out leave first.
  case tinyLFU = "w-tinylfu"
  /// Covers that bring few hits for their bytes leave first: the large ones.
  case gdsf

  /// The policies that keep to their limits at every instant.
  public static let bounded: [MemoryPolicy] = [.lru, .sieve, .s3FIFO, .tinyLFU, .gdsf]

  /// Makes an empty tier.
  ///
  /// - Parameters:
  ///   - limits: What a tier with limits keeps to.
  ///   - cost: What a cover counts for against the limit of bytes.
  /// - Returns: A tier of this policy.
  public func makeTier(limits: TierLimits, cost: CoverCost = .bytes) -> any MemoryTier {
    switch self {
    case .dictionary: DictionaryTier()
    case .nsCache: FoundationCacheTier(limits: limits, cost: cost)
    case .lru: BoundedTier(limits: limits, cost: cost, policy: LRUPolicy())
    case .sieve: BoundedTier(limits: limits, cost: cost, policy: SIEVEPolicy())
    case .s3FIFO: BoundedTier(limits: limits, cost: cost, policy: S3FIFOPolicy())
    case .tinyLFU: BoundedTier(limits: limits, cost: cost, policy: TinyLFUPolicy())
    case .gdsf: BoundedTier(limits: limits, cost: cost, policy: GDSFPolicy())
    }
  }
}
