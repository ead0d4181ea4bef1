internal import CoverCache
internal import PerfWorkload

/// The counters of every workload with a cache of covers.
enum CacheCounters {
  static let declarations: [CounterDeclaration] = [
    CounterDeclaration(
      "cache.hit_ratio", unit: .ratio, direction: .higher,
      "Share of the appearing cells whose cover was in memory."),
    CounterDeclaration("cache.hits", unit: .count, direction: .higher, "Covers found in memory."),
    CounterDeclaration(
      "cache.misses", unit: .count, direction: .lower, "Covers not found in memory."),
    CounterDeclaration(
      "cache.evictions", unit: .count, direction: .lower,
      "Covers that were evicted to keep a limit."),
    CounterDeclaration(
      "cache.bytes", unit: .bytes, direction: .lower,
      "Size of the decoded covers in memory at the end."),
    CounterDeclaration(
      "cache.objects", unit: .count, direction: .neutral, "Decoded covers in memory at the end."),
    CounterDeclaration(
      "loads.finished", unit: .count, direction: .neutral, "Covers that the loader threads loaded."),
    CounterDeclaration(
      "loads.cancelled", unit: .count, direction: .lower, "Loads that were cancelled."),
    CounterDeclaration(
      "loads.joined", unit: .count, direction: .neutral, "Requests that joined a running load."),
    CounterDeclaration(
      "loads.failed", unit: .count, direction: .lower, "Covers that could not be loaded."),
  ]

  /// Reports the counters of a cache.
  static func report(_ cache: CoverCache, to context: MeasurementContext) {
    let tier = cache.metrics(of: .thumbnail)
    context.report("cache.hit_ratio", tier.hitRatio)
    context.report("cache.hits", tier.hitCount)
    context.report("cache.misses", tier.missCount)
    context.report("cache.evictions", tier.evictionCount)
    context.report("cache.bytes", tier.memoryUsage)
    context.report("cache.objects", tier.objectCount)
    let loads = cache.loadMetrics
    context.report("loads.finished", loads.finishedCount)
    context.report("loads.cancelled", loads.cancelledCount)
    context.report("loads.joined", loads.joinedCount)
    context.report("loads.failed", loads.failedCount)
  }
}
