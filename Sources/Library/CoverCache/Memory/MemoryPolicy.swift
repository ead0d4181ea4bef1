/// The kind of memory tier in a cache.
public enum MemoryPolicy: String, CaseIterable, Sendable {
  /// A dictionary that never evicts: the first version of the case studies.
  case dictionary
  /// Foundation's `NSCache`: the second version of the case studies.
  case nsCache = "nscache"
  /// Evicts the least recently used cover.
  case lru
  /// Evicts the oldest cover that was not requested recently.
  case sieve
  /// Evicts covers that were requested only once.
  case s3FIFO = "s3-fifo"
  /// Evicts covers that are requested less often than the covers they would displace.
  case tinyLFU = "w-tinylfu"
  /// Evicts covers with few hits per byte, i.e. the large ones.
  case gdsf

  /// The policies that keep their limits at every instant.
  public static let bounded: [MemoryPolicy] = [.lru, .sieve, .s3FIFO, .tinyLFU, .gdsf]

  /// Creates an empty tier of this policy; the cost of a cover counts against the byte limit.
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
