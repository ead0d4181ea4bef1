internal import CoverCache
internal import PerfWorkload

/// The counters of every workload with a cache of covers.
enum CacheCounters {
  static let declarations: [CounterDeclaration] = [
    .ratio("cache.hit_ratio", .higher, "Share of the appearing cells whose cover was in memory."),
    .ratio(
      "cache.encoded_hit_ratio", .higher,
      "Share of the loads for display whose encoded cover was in memory; 0 without such a tier."),
    .count("cache.hits", .higher, "Covers found in memory."),
    .count("cache.misses", .lower, "Covers not found in memory."),
    .count("cache.evictions", .lower, "Covers that were evicted to keep a limit."),
    .bytes("cache.bytes", .lower, "Size of the decoded covers in memory at the end."),
    .count("cache.objects", .neutral, "Decoded covers in memory at the end."),
    .count("loads.finished", .neutral, "Covers that the loader threads loaded."),
    .count("loads.cancelled", .lower, "Loads that were cancelled."),
    .count("loads.joined", .neutral, "Requests that joined a running load."),
    .count("loads.failed", .lower, "Covers that could not be loaded."),
  ]

  static func report(_ cache: CoverCache, to context: MeasurementContext) {
    let tier = cache.metrics(of: .thumbnail)
    context.report("cache.hit_ratio", tier.hitRatio)
    context.report("cache.encoded_hit_ratio", cache.encodedMetrics.hitRatio)
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
