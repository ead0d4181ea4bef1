internal import CoverCache
internal import PerfWorkload

/// Fills a tier with covers of 24 megapixels and thumbnails, and compares what it holds with its limit.
struct OversizeCost: Workload {
  static let name = "book.oversize"
  static let summary = "Fills a tier with large and small covers that are counted well or badly."
  static let parameters: [ParameterDeclaration] = [
    .int("books", default: 40, in: 1...1_000, "Covers of each size."),
    .int(
      "width", default: 4_000, in: 1...8_000, "Width of a large cover; its height is 3/2 of it."),
    .int("limit", default: 100, in: 1...10_000, "The limit of the tier, in MiB."),
    .int("objects", default: 20, in: 1...10_000, "The limit of objects."),
    .choice("policy", default: MemoryPolicy.lru, "What holds the covers."),
    .choice("cost", default: CoverCost.bytes, "What a cover counts for."),
  ]
  static let counters = [
    CounterDeclaration(
      "cache.most_bytes", unit: .bytes, direction: .lower, isDeterministic: true,
      "The most bytes of covers, those on their way included."),
    CounterDeclaration(
      "cache.limit_ratio", unit: .ratio, direction: .lower, isDeterministic: true,
      "The same by the limit."),
    CounterDeclaration(
      "cache.refused", unit: .count, direction: .neutral, isDeterministic: true,
      "Covers that were not held, since they are over the limit alone."),
  ]

  private static let thumbnail = PixelSize(width: 200, height: 300)

  private let books: Int
  private let large: PixelSize
  private let limits: TierLimits
  private let policy: MemoryPolicy
  private let cost: CoverCost

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    books = try parameters.int("books")
    let width = try parameters.int("width")
    large = PixelSize(width: width, height: max(1, width * 3 / 2))
    limits = TierLimits(
      count: try parameters.int("objects"), bytes: try parameters.int("limit") << 20)
    policy = try parameters.choice("policy")
    cost = try parameters.choice("cost")
  }

  func measure(_ context: MeasurementContext) throws {
    let tier = policy.makeTier(limits: limits, cost: cost)
    var most = 0
    for book in 0..<books {
      for size in [large, Self.thumbnail] {
        let isReserved = tier.reserve(size)
        // Every page of it is written, as a decoder would.
        let cover = try PixelBuffer(size: size) { bytes in
          bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: book))
        }
        let before = tier.metrics
        most = max(most, before.memoryUsage + before.reservedBytes)
        guard isReserved else { continue }
        tier.insert(cover, for: "\(book) \(size)", reserved: size)
        most = max(most, tier.metrics.memoryUsage)
      }
    }
    context.report("cache.most_bytes", most)
    context.report("cache.limit_ratio", Double(most) / Double(limits.bytes))
    context.report("cache.refused", tier.metrics.refusedCount)
  }
}
