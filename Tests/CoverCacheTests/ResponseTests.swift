import CoverCache
import PerfTestSupport
import Testing

/// Returns a cache with ten thumbnails of 2,400 and ten images of 9,600 bytes.
func fullCache(
  images: PixelSize = PixelSize(width: 40, height: 60),
  limits: TierLimits = TierLimits(count: 10, bytes: 100_000_000)
) throws -> CoverCache {
  var covers: [String: [UInt8]] = [:]
  for key in 0..<10 {
    covers["\(key)"] = try JPEGEncoder().encode(try gradient(images.width, images.height))
  }
  var configuration = CoverCacheConfiguration()
  configuration.thumbnailSize = PixelSize(width: 20, height: 30)
  configuration.imageSize = images
  configuration.imageLimits = limits
  let cache = try CoverCache(
    source: GatedSource(covers, isOpen: true), configuration: configuration)
  for key in 0..<10 {
    _ = try cache.load("\(key)", as: .thumbnail)
    _ = try cache.load("\(key)", as: .image)
  }
  return cache
}

@Suite struct `a response to memory pressure` {
  @Test(arguments: [
    (0.0, MemoryPressure.normal), (0.499, .normal), (0.5, .warning), (0.699, .warning),
    (0.7, .urgent), (0.849, .urgent), (0.85, .critical), (2, .critical), (.nan, .critical),
  ])
  func `pressure levels start at 50, 70 and 85 % of the budget`(
    ratio: Double, level: MemoryPressure
  ) {
    #expect(MemoryPressure(useRatio: ratio) == level)
  }

  // The objects that are left of ten thumbnails and ten images.
  @Test(arguments: [
    (PressureStrategy.none, 0.99, 10, 10),
    (.twoThresholds, 0.6, 10, 10), (.twoThresholds, 0.61, 5, 0), (.twoThresholds, 0.8, 5, 0),
    (.twoThresholds, 0.81, 0, 0),
    (.levels, 0.49, 10, 10), (.levels, 0.5, 7, 7), (.levels, 0.7, 10, 0), (.levels, 0.85, 0, 0),
    // 120,000 bytes are in use, less than 50 MiB: half of them leave, seven images of 9,600.
    (.progressive, 0.49, 10, 10), (.progressive, 0.9, 10, 3),
    // 0.18 / 0.35 of ten is 5.1; beyond the ends nothing or everything.
    (.proportional, 0.5, 10, 10), (.proportional, 0.67, 5, 5), (.proportional, 0.85, 0, 0),
    (.proportional, 3, 0, 0),
  ])
  func `each pressure strategy leaves the derived number of objects`(
    strategy: PressureStrategy, ratio: Double, thumbnails: Int, images: Int
  ) throws {
    let cache = try fullCache()
    let freed = cache.reduce(atUse: ratio, by: strategy)
    #expect(cache.metrics(of: .thumbnail).objectCount == thumbnails)
    #expect(cache.metrics(of: .image).objectCount == images)
    #expect(freed == (10 - thumbnails) * 2400 + (10 - images) * 9600)
  }

  @Test func `the progressive strategy frees everything when more than 50 MiB are in use`() throws {
    // Ten pictures of 1,200 x 1,200 x 4 bytes are 57.6 MB.
    let cache = try fullCache(images: PixelSize(width: 1200, height: 1200))
    #expect(cache.metrics(of: .image).memoryUsage == 57_600_000)
    #expect(cache.reduce(atUse: 0.6, by: .progressive) > 57_600_000)
    #expect(cache.metrics(of: .thumbnail).objectCount == 0)
  }
}

@Suite struct `a response to heat` {
  @Test func `rising temperature lowers three loads to two, one and none`() {
    #expect(ThermalState.allCases.map { $0.concurrentLoads(of: 3) } == [3, 2, 1, 0])
    #expect(ThermalState.allCases.map { $0.concurrentLoads(of: 1) } == [1, 1, 1, 0])
  }

  @Test func `a hot device halves the limits of a cache until it cools down`() throws {
    let cache = try fullCache()
    #expect(cache.respond(to: .fair) == 0)
    // Five of ten images leave; the limit of 200 thumbnails becomes 100.
    #expect(cache.respond(to: .serious) == 5 * 9600)
    #expect(cache.limits(of: .image) == TierLimits(count: 5, bytes: 50_000_000))
    #expect(cache.limits(of: .thumbnail) == TierLimits(count: 100, bytes: 5_000_000))
    #expect(cache.respond(to: .critical) == 0)
    #expect(cache.respond(to: .nominal) == 0)
    #expect(cache.limits(of: .image).count == 10)
  }

  @Test func `a critical temperature suspends all loads`() throws {
    let cache = try fullCache()
    cache.respond(to: .critical)
    let outcomes = Outcomes()
    cache.reduce(under: .critical)
    cache.request("1") { outcomes.record("1", $0) }
    #expect(cache.loadMetrics.startedCount == 0)
    cache.respond(to: .nominal)
    #expect(outcomes.wait(for: 1)["1"]?.error == nil)
  }
}

@Suite struct `a warmer` {
  private let slack = Duration.milliseconds(8)
  private func ms(_ time: Int) -> Duration { .milliseconds(time) }

  private func cache(_ source: GatedSource) throws -> CoverCache {
    try CoverCache(source: source)
  }

  private func source(isOpen: Bool) throws -> GatedSource {
    var covers: [String: [UInt8]] = [:]
    for key in 0..<5 { covers["\(key)"] = try JPEGEncoder().encode(try gradient(4, 6)) }
    return GatedSource(covers, isOpen: isOpen)
  }

  private let keys = (0..<5).map { "\($0)" }

  private func waitUntilIdle(_ cache: CoverCache) {
    let outcomes = Outcomes()
    for key in keys { cache.request(key) { outcomes.record(key, $0) } }
    _ = outcomes.wait(for: keys.count)
  }

  @Test func `a burst warmer requests all covers at once`() throws {
    let source = try source(isOpen: false)
    let cache = try cache(source)
    var warmer = CacheWarmer(cache: cache, keys: keys, pace: .burst)
    warmer.advance(to: .zero, slack: slack)
    #expect(cache.loadMetrics.pendingCount == 5)
    #expect(!warmer.isDone)
    source.open()
    waitUntilIdle(cache)
    #expect(warmer.isDone)
  }

  @Test(arguments: [(CacheWarmer.Pace.fixed, 4), (.afterMiss, 2)])
  func `only the fixed pace waits for covers already in memory`(
    pace: CacheWarmer.Pace, intervals: Int
  ) throws {
    let cache = try cache(try source(isOpen: true))
    // Two of the five are in memory; the case study's pace waits for them all the same.
    for key in ["1", "2"] { _ = try cache.load(key) }
    var warmer = CacheWarmer(cache: cache, keys: keys, pace: pace)
    for step in 0..<intervals {
      warmer.advance(to: ms(step * 100), slack: slack)
      warmer.advance(to: ms(step * 100 + 99), slack: slack)
    }
    #expect(!cache.contains("4") && !warmer.isDone)
    warmer.advance(to: ms(intervals * 100), slack: slack)
    waitUntilIdle(cache)
    #expect(warmer.isDone)
    #expect(cache.contains("4"))
  }

  @Test(arguments: [CacheWarmer.Pace.fixed, .afterMiss])
  func `a warmer is not done when only its last cover has arrived`(pace: CacheWarmer.Pace) throws {
    let source = try source(isOpen: false)
    let cache = try cache(source)
    cache.setConcurrentLoads(0)
    var warmer = CacheWarmer(cache: cache, keys: keys, pace: pace)
    for step in 0..<5 { warmer.advance(to: ms(step * 100), slack: slack) }
    // The last cover becomes visible and overtakes the others.
    let outcomes = Outcomes()
    cache.request("4") { outcomes.record("4", $0) }
    cache.setConcurrentLoads(1)
    source.waitForLoads(1)
    cache.setConcurrentLoads(0)
    source.open()
    _ = outcomes.wait(for: 1)
    #expect(!warmer.isDone)
    cache.setConcurrentLoads(3)
    waitUntilIdle(cache)
    #expect(warmer.isDone)
  }

  @Test func `an adaptive warmer requests one cover at a time when frames have slack`() throws {
    let source = try source(isOpen: false)
    let cache = try cache(source)
    var warmer = CacheWarmer(cache: cache, keys: keys, pace: .adaptive)
    warmer.advance(to: ms(0), slack: ms(3))
    #expect(cache.loadMetrics.pendingCount == 0)
    warmer.advance(to: ms(8), slack: ms(4))
    warmer.advance(to: ms(16), slack: ms(8))
    #expect(cache.loadMetrics.pendingCount == 1)
    source.open()
    waitUntilIdle(cache)
    for frame in 3..<8 { warmer.advance(to: ms(frame * 8), slack: slack) }
    #expect(warmer.isDone)
  }
}
