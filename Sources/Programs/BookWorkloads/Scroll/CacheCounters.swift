internal import CoverCache
internal import PerfWorkload

/// The counters of every workload that has a cache of covers.
enum CacheCounters {
  static let declarations: [CounterDeclaration] = [
    CounterDeclaration(
      "cache.hit_ratio", unit: .ratio, direction: .higher,
      "Cells whose cover was in memory when they appeared, of all that appeared."),
    CounterDeclaration("cache.hits", unit: .count, direction: .higher, "Covers found in memory."),
    CounterDeclaration(
      "cache.misses", unit: .count, direction: .lower, "Covers not found in memory."),
    CounterDeclaration(
      "cache.evictions", unit: .count, direction: .lower, "Covers that left to keep a limit."),
    CounterDeclaration(
      "cache.bytes", unit: .bytes, direction: .lower, "Bytes of decoded covers held at the end."),
    CounterDeclaration(
      "cache.objects", unit: .count, direction: .neutral, "Decoded covers held at the end."),
    CounterDeclaration(
      "loads.finished", unit: .count, direction: .neutral, "Covers made by the loader threads."),
    CounterDeclaration(
      "loads.cancelled", unit: .count, direction: .lower, "Loads that were no longer wanted."),
    CounterDeclaration(
      "loads.joined", unit: .count, direction: .neutral, "Requests that joined a load under way."),
    CounterDeclaration(
      "loads.failed", unit: .count, direction: .lower, "Covers that could not be loaded."),
  ]

  /// Reports what a cache has done and holds.
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
