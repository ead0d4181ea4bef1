import CoverCache
import PerfTestSupport
import Synchronization
import Testing

@Suite struct `a prefetch strategy` {
  @Test(arguments: [
    (PrefetchStrategy.none, 1.0, [Int]()),
    (.neighbours(2), 1.0, [14, 9, 15, 8]), (.neighbours(2), -1.0, [9, 14, 8, 15]),
    (.ahead(3), 1.0, [14, 15, 16]), (.ahead(3), -1.0, [9, 8, 7]),
    // Half a second at 14 per second is 7; at 1 per second the minimum, 5; at 1,000 the maximum,
    // 60.
    (.adaptive, 14.0, Array(14..<21)), (.adaptive, -1.0, [9, 8, 7, 6, 5]),
    (.adaptive, 1000.0, Array(14..<74)),
  ])
  func `a prefetch strategy returns the nearest covers first`(
    strategy: PrefetchStrategy, velocity: Double, wanted: [Int]
  ) {
    #expect(strategy.indices(around: 10..<14, of: 1000, velocity: velocity) == wanted)
  }

  @Test(arguments: [
    PrefetchStrategy.none, .neighbours(20), .ahead(20), .adaptive, .ahead(-3),
    .neighbours(-1),
  ])
  func `a prefetch strategy returns only covers of the list that are not visible`(
    strategy: PrefetchStrategy
  ) {
    var random = SampleRandom(seed: 2)
    for _ in 0..<500 {
      let count = Int.random(in: 0...50, using: &random)
      let start = Int.random(in: 0...count, using: &random)
      let visible = start..<Int.random(in: start...count, using: &random)
      let velocity = random.around(0, spread: 200)
      let wanted = strategy.indices(around: visible, of: count, velocity: velocity)
      #expect(wanted.allSatisfy { (0..<count).contains($0) && !visible.contains($0) })
      #expect(Set(wanted).count == wanted.count)
    }
  }
}

@Suite struct `a prefetcher` {
  private func cache(_ source: GatedSource, limit: Int = 100) throws -> CoverCache {
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = 1
    configuration.thumbnailSize = PixelSize(width: 20, height: 30)
    configuration.thumbnailLimits = TierLimits(count: limit)
    return try CoverCache(source: source, configuration: configuration)
  }

  private func source(isOpen: Bool = false) throws -> GatedSource {
    var covers: [String: [UInt8]] = [:]
    for key in 0..<9 { covers["\(key)"] = try JPEGEncoder().encode(try gradient(40, 60)) }
    return GatedSource(covers, isOpen: isOpen)
  }

  /// Waits until a cache is idle: its only thread makes this cover last.
  private func drain(_ cache: CoverCache) {
    let outcomes = Outcomes()
    cache.request("none", priority: .prefetch) { outcomes.record("none", $0) }
    _ = outcomes.wait(for: 1)
  }

  @Test func `a prefetcher requests each cover once and cancels unwanted ones`() throws {
    let source = try source()
    let cache = try cache(source)
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want(["0", "1", "2"])
    source.waitForLoads(1)
    prefetcher.want(["0", "2", "3"])
    let outcomes = Outcomes()
    cache.request("3") { outcomes.record("3", $0) }
    cache.request("2") { outcomes.record("2", $0) }
    source.open()
    _ = outcomes.wait(for: 2)
    prefetcher.want(["2", "3"])
    #expect(source.calls == ["0", "3", "2"])
    #expect(cache.loadMetrics.cancelledCount == 1)
    #expect(prefetcher.metrics.cancelledCount == 1)
    #expect(prefetcher.metrics.requestedCount == 4)
  }

  @Test func `a prefetcher counts covers that were seen in time and never`() throws {
    let source = try source(isOpen: true)
    let cache = try cache(source)
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want(["0", "1", "2"])
    drain(cache)
    // 0 was prefetched, 5 was not.
    prefetcher.appeared("0")
    prefetcher.appeared("5")
    // 1 is no longer wanted but seen; 2 is never seen.
    prefetcher.want([])
    prefetcher.appeared("1")
    // A cover that was seen before counts once.
    prefetcher.appeared("0")
    let metrics = prefetcher.metrics
    #expect(metrics.usedCount == 2)
    #expect(metrics.missedCount == 1)
    #expect(metrics.wastedCount == 1)
    #expect(metrics.wastedBytes == 20 * 30 * 4)
    #expect(metrics.accuracy == 2.0 / 3)
    #expect(metrics.coverage == 2.0 / 3)
    #expect(metrics.lateness == 0)
  }

  @Test func `a cover that is still loading counts as late`() throws {
    let source = try source()
    let cache = try cache(source)
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want(["0"])
    prefetcher.appeared("0")
    source.open()
    #expect(prefetcher.metrics.lateCount == 1)
    #expect(prefetcher.metrics.lateness == 1)
    #expect(prefetcher.metrics.accuracy == 1)
    #expect(prefetcher.metrics.coverage == 0)
  }

  @Test func `a cover evicted before it is seen counts as wasted`() throws {
    let cache = try cache(try source(isOpen: true), limit: 1)
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want(["0", "1"])
    drain(cache)
    prefetcher.appeared("0")
    #expect(prefetcher.metrics.missedCount == 1)
    #expect(prefetcher.metrics.wastedCount == 2)
  }

  @Test func `cancelAll cancels all requests`() throws {
    let source = try source()
    let cache = try cache(source)
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want((0..<9).map { "\($0)" })
    source.waitForLoads(1)
    prefetcher.cancelAll()
    source.open()
    drain(cache)
    #expect(source.calls == ["0", "none"])
    #expect(prefetcher.metrics.cancelledCount == 9)
    #expect(prefetcher.metrics.wastedCount == 0)
  }

  @Test func `a prefetcher that does not cancel loads all covers it ever wanted`() throws {
    let source = try source()
    let cache = try cache(source)
    var prefetcher = CoverPrefetcher(cache: cache, isCancelling: false)
    prefetcher.want(["0", "1", "2"])
    source.waitForLoads(1)
    prefetcher.want(["2", "3"])
    prefetcher.cancelAll()
    source.open()
    drain(cache)
    #expect(source.calls == ["0", "1", "2", "3", "none"])
    #expect(prefetcher.metrics.requestedCount == 4)
    #expect(prefetcher.metrics.cancelledCount == 0)
    #expect(prefetcher.metrics.wastedCount == 4)
  }

  @Test func `a late cover is not loaded any more when its cell has disappeared`() throws {
    let source = try source()
    let cache = try cache(source)
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want(["0", "1"])
    source.waitForLoads(1)
    prefetcher.appeared("1")
    let cell = cache.request("1")
    prefetcher.want([])
    cell.cancel()
    source.open()
    drain(cache)
    #expect(source.calls == ["0", "none"])
    #expect(prefetcher.metrics.lateCount == 1)
  }

  @Test func `a wanted cover is requested once although it was evicted or is missing`() throws {
    let source = try source(isOpen: true)
    let cache = try cache(source, limit: 1)
    var prefetcher = CoverPrefetcher(cache: cache)
    for _ in 0..<3 {
      prefetcher.want(["0", "1", "missing"])
      drain(cache)
    }
    #expect(source.calls.filter { $0 != "none" } == ["0", "1", "missing"])
    // After it was not wanted for a while, it is requested again; the first load was in vain.
    prefetcher.want([])
    prefetcher.want(["0"])
    drain(cache)
    #expect(source.calls.filter { $0 == "0" }.count == 2)
    #expect(prefetcher.metrics.wastedCount == 3)
  }

  @Test func `a cover that was loaded for display does not count as used`() throws {
    let cache = try cache(try source(isOpen: true), limit: 1)
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want(["0", "1"])
    drain(cache)
    // The prefetch of 0 was in vain: 1 took its place.
    prefetcher.appeared("0")
    _ = try cache.load("0")
    prefetcher.appeared("0")
    #expect(prefetcher.metrics.usedCount == 0)
    #expect(prefetcher.metrics.missedCount == 1)
    #expect(prefetcher.metrics.wastedCount == 2)
    #expect(prefetcher.metrics.accuracy == 0)
  }

  @Test func `a cover that is late in its second prefetch does not count as used`() throws {
    let cache = try cache(try source(isOpen: true))
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want(["0"])
    drain(cache)
    prefetcher.want([])
    cache.reduce(under: .critical)
    cache.setConcurrentLoads(0)
    prefetcher.want(["0"])
    prefetcher.appeared("0")
    cache.setConcurrentLoads(1)
    drain(cache)
    prefetcher.appeared("0")
    #expect(prefetcher.metrics.usedCount == 0)
    #expect(prefetcher.metrics.lateCount == 1)
    #expect(prefetcher.metrics.wastedCount == 1)
  }

  // MARK: - Encoded covers

  /// A cache of encoded covers and the names of the covers that it decoded.
  private func encodedCache(_ source: GatedSource, _ decoded: Decoded) throws -> CoverCache {
    var configuration = CachePreset.swiftWing.configuration
    configuration.concurrentLoads = 1
    return try CoverCache(source: source, configuration: configuration) { key, _, _ in
      decoded.add(key)
    }
  }

  @Test func `a cache of encoded covers fetches a wanted cover once and does not decode it`() throws
  {
    let source = try source(isOpen: true)
    let decoded = Decoded()
    let cache = try encodedCache(source, decoded)
    var prefetcher = CoverPrefetcher(cache: cache)
    for _ in 0..<3 {
      prefetcher.want(["0", "1"])
      drain(cache)
    }
    prefetcher.want([])
    prefetcher.want(["1"])
    drain(cache)
    #expect(source.calls.filter { $0 != "none" } == ["0", "1"])
    #expect(decoded.keys.isEmpty)
    // The cell finds the encoded cover in memory; the missing cover was looked up four times.
    prefetcher.appeared("0")
    #expect(try cache.load("0").size == PixelSize(width: 40, height: 60))
    #expect(cache.encodedMetrics.hitCount == 1)
    #expect(cache.encodedMetrics.missCount == 4)
    #expect(prefetcher.metrics.usedCount == 1)
    let bytes = try JPEGEncoder().encode(try gradient(40, 60)).count
    #expect(prefetcher.metrics.wastedBytes == bytes)
  }

  @Test func `a request for display joins the prefetch of an encoded cover`() throws {
    let source = try source()
    let decoded = Decoded()
    let cache = try encodedCache(source, decoded)
    var prefetcher = CoverPrefetcher(cache: cache)
    prefetcher.want(["0", "1"])
    source.waitForLoads(1)
    let outcomes = Outcomes()
    cache.request("0") { outcomes.record("0", $0) }
    source.open()
    #expect(try outcomes.wait(for: 1)["0"]?.get().width == 40)
    drain(cache)
    #expect(source.calls == ["0", "1", "none"])
    #expect(decoded.keys == ["0"])
    // The cover was not in memory when it was displayed, nor was the missing one.
    #expect(cache.encodedMetrics.missCount == 2)
    #expect(cache.encodedMetrics.hitCount == 0)
  }
}

/// The keys of decoded covers.
private final class Decoded: Sendable {
  private let state = Mutex<[String]>([])
  func add(_ key: String) { state.withLock { $0.append(key) } }
  var keys: [String] { state.withLock { $0 } }
}
