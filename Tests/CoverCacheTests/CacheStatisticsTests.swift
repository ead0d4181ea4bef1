import CoverCache
import Testing

@Suite struct `A cache's statistics` {
  @Test func `the statistics of a tier are three lines of text`() {
    var metrics = CacheMetrics()
    metrics.hitCount = 1_871
    metrics.missCount = 117
    metrics.evictionCount = 1_909
    metrics.memoryUsage = 9_840_000
    metrics.objectCount = 41
    // 1871 / 1988 = 94.1147 %; 9,840,000 / 1,048,576 = 9.384.
    #expect(
      metrics.statistics(under: TierLimits(count: 200, bytes: 10_000_000)) == """
        Hit ratio: 94.11 % of 1988 look-ups
        Memory usage: 9.4 MiB of 9.5 MiB
        Objects: 41 of 200, 1909 evicted
        """)
  }

  @Test func `the statistics omit absent limits`() {
    #expect(
      CacheMetrics().statistics(under: TierLimits()) == """
        Hit ratio: 0.00 % of 0 look-ups
        Memory usage: 0 B
        Objects: 0, 0 evicted
        """)
  }
}
