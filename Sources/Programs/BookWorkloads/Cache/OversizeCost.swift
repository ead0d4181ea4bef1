internal import CoverCache
internal import PerfWorkload

/// Fills a tier with 24-megapixel covers and thumbnails, and compares its size with its limit.
struct OversizeCost: Workload {
  static let name = "book.oversize"
  static let summary = "Fills a cache tier with large and small covers under different cost rules."
  static let books = Parameter("books", default: 40, in: 1...1_000, "Covers of each size.")
  static let width = Parameter(
    "width", default: 4_000, in: 1...8_000,
    "Width of a large cover in pixels; its height is 3/2 of it.")
  static let limit = Parameter("limit", default: 100, in: 1...10_000, "Limit of the tier, in MiB.")
  static let objects = Parameter(
    "objects", default: 20, in: 1...10_000, "Limit of objects in the tier.")
  static let policy = Parameter(
    "policy", default: MemoryPolicy.lru, "Replacement policy of the tier.")
  static let cost = Parameter(
    "cost", default: CoverCost.bytes, "Cost of a cover against the limit.")
  static let parameters: [any WorkloadParameter] = [books, width, limit, objects, policy, cost]
  static let counters: [CounterDeclaration] = [
    .bytes(
      "cache.most_bytes", .lower, isExact: true,
      "Largest total size of the covers, including those being inserted."),
    .ratio("cache.limit_ratio", .lower, isExact: true, "Largest total size divided by the limit."),
    .count(
      "cache.refused", .neutral, isExact: true,
      "Covers that were refused because each exceeds the limit alone."),
  ]

  private static let thumbnail = PixelSize(width: 200, height: 300)

  private let books: Int
  private let large: PixelSize
  private let limits: TierLimits
  private let policy: MemoryPolicy
  private let cost: CoverCost

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    books = parameters[Self.books]
    let width = parameters[Self.width]
    large = PixelSize(width: width, height: max(1, width * 3 / 2))
    limits = TierLimits(count: parameters[Self.objects], bytes: parameters[Self.limit] << 20)
    policy = parameters[Self.policy]
    cost = parameters[Self.cost]
  }

  func measure(_ context: MeasurementContext) throws {
    let tier = policy.makeTier(limits: limits, cost: cost)
    var most = 0
    for book in 0..<books {
      for size in [large, Self.thumbnail] {
        let isReserved = tier.reserve(size)
        // All memory pages are written, as a decoder would.
        let cover = try PixelBuffer(size: size) { bytes in
          bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: book))
        }
        guard isReserved else { continue }
        // Not the reserved bytes: NSCache and the dictionary reserve nothing.
        most = max(most, tier.metrics.memoryUsage + cover.byteCount)
        tier.insert(cover, for: "\(book) \(size)", reserved: size)
        most = max(most, tier.metrics.memoryUsage)
      }
    }
    context.report("cache.most_bytes", most)
    context.report("cache.limit_ratio", Double(most) / Double(limits.bytes))
    context.report("cache.refused", tier.metrics.refusedCount)
  }
}
