import PerfTestSupport
import Testing

@testable import CoverCache

@Suite struct `a cover cache` {
  let covers: [String: [UInt8]]

  init() throws {
    var covers: [String: [UInt8]] = [:]
    for key in 0..<20 { covers["\(key)"] = try JPEGEncoder().encode(try gradient(400, 600)) }
    covers["fake"] = Array("<html>".utf8)
    self.covers = covers
  }

  func cache(
    _ source: any CoverSource, disk: DiskTier? = nil,
    _ change: (inout CoverCacheConfiguration) -> Void = { _ in }
  ) throws -> CoverCache {
    var configuration = CoverCacheConfiguration()
    configuration.thumbnailSize = PixelSize(width: 20, height: 30)
    configuration.imageSize = PixelSize(width: 40, height: 60)
    change(&configuration)
    return try CoverCache(source: source, disk: disk, configuration: configuration)
  }

  @Test func `the default configuration has the limits of the case study`() {
    let configuration = CoverCacheConfiguration()
    #expect(configuration.imageLimits == TierLimits(count: 100, bytes: 50_000_000))
    #expect(configuration.thumbnailLimits == TierLimits(count: 200, bytes: 10_000_000))
    #expect(configuration.concurrentLoads == 3)
  }

  @Test func `a requested cover is cached in the requested form only`() async throws {
    let cache = try cache(GatedSource(covers, isOpen: true))
    #expect(cache.thumbnail(for: "1") == nil)
    let cover = try await cache.outcome(of: "1").get()
    #expect(cover.size == PixelSize(width: 20, height: 30))
    #expect(cache.thumbnail(for: "1") === cover)
    #expect(cache.metrics(of: .thumbnail).hitRatio == 0.5)
    #expect(!cache.contains("1", as: .image))
    #expect(try await cache.outcome(of: "1", as: .image).get().size.width == 40)
  }

  @Test func `load runs on the calling thread without a loader`() throws {
    let cache = try cache(GatedSource(covers, isOpen: true))
    #expect(try cache.load("2") === cache.thumbnail(for: "2"))
    #expect(cache.loadMetrics.startedCount == 0)
    #expect(throws: CoverError.notFound(cover: "none")) { try cache.load("none") }
  }

  @Test func `the naive configuration keeps all pixels of a cover`() throws {
    let source = GatedSource(covers, isOpen: true)
    let cache = try CoverCache(source: source, configuration: .naive)
    #expect(try cache.load("2").size == PixelSize(width: 400, height: 600))
  }

  @Test func `a failed request returns the reason`() async throws {
    let cache = try cache(GatedSource(covers, isOpen: true))
    #expect(await cache.outcome(of: "none").error == .notFound(cover: "none"))
    let reason = "it does not begin with the bytes FF D8"
    #expect(await cache.outcome(of: "fake").error == .notJPEG(cover: "fake", reason: reason))
    #expect(cache.loadMetrics.failedCount == 2)
  }

  @Test func `requests for one cover share one load`() throws {
    let source = GatedSource(covers)
    let cache = try cache(source)
    let outcomes = Outcomes()
    for name in ["a", "b", "c"] { cache.request("5") { outcomes.record(name, $0) } }
    source.waitForLoads(1)
    cache.request("5") { outcomes.record("late", $0) }
    source.open()
    let covers = try outcomes.wait(for: 4).values.map { try $0.get() }
    #expect(covers.allSatisfy { $0 === covers[0] })
    #expect(source.calls == ["5"])
    #expect(cache.loadMetrics.joinedCount == 3)
  }

  @Test(arguments: [1, 3])
  func `the cache runs exactly the allowed number of concurrent loads`(limit: Int) throws {
    let source = GatedSource(covers)
    let cache = try cache(source) { $0.concurrentLoads = limit }
    let outcomes = Outcomes()
    for key in 0..<20 { cache.request("\(key)") { outcomes.record("\(key)", $0) } }
    source.waitForLoads(limit)
    source.open()
    _ = outcomes.wait(for: 20)
    #expect(source.mostInside == limit)
    #expect(cache.loadMetrics.highestConcurrency == limit)
    #expect(Set(source.calls).count == 20)
  }

  @Test func `visible covers are loaded before prefetched ones, each in order`() throws {
    let source = GatedSource(covers)
    let cache = try cache(source) { $0.concurrentLoads = 1 }
    let outcomes = Outcomes()
    cache.request("0") { outcomes.record("0", $0) }
    source.waitForLoads(1)
    for key in ["1", "2", "3"] {
      cache.request(key, priority: .prefetch) { outcomes.record(key, $0) }
    }
    for key in ["4", "5"] { cache.request(key) { outcomes.record(key, $0) } }
    // A prefetched cover that becomes visible moves up.
    cache.request("3") { outcomes.record("3 seen", $0) }
    source.open()
    _ = outcomes.wait(for: 7)
    #expect(source.calls == ["0", "4", "5", "3", "1", "2"])
  }

  @Test func `a cancelled load does not start`() throws {
    let source = GatedSource(covers)
    let cache = try cache(source) { $0.concurrentLoads = 1 }
    let outcomes = Outcomes()
    cache.request("0") { outcomes.record("0", $0) }
    source.waitForLoads(1)
    let unwanted = cache.request("1") { outcomes.record("1", $0) }
    cache.request("2") { outcomes.record("2", $0) }
    unwanted.cancel()
    #expect(unwanted.result?.error == .cancelled(cover: "1"))
    source.open()
    _ = outcomes.wait(for: 3)
    #expect(source.calls == ["0", "2"])
    #expect(cache.loadMetrics.cancelledCount == 1)
  }

  @Test func `a load that is cancelled while reading does not decode`() throws {
    let source = GatedSource(covers)
    let cache = try cache(source) { $0.concurrentLoads = 1 }
    let outcomes = Outcomes()
    let unwanted = cache.request("0")
    source.waitForLoads(1)
    cache.request("1") { outcomes.record("1", $0) }
    unwanted.cancel()
    source.open()
    _ = outcomes.wait(for: 1)
    #expect(!cache.contains("0"))
    #expect(cache.loadMetrics.cancelledCount == 1)
  }

  @Test func `a cover is still loaded when one of two requests is cancelled`() throws {
    let source = GatedSource(covers)
    let cache = try cache(source)
    let outcomes = Outcomes()
    let unwanted = cache.request("7")
    cache.request("7") { outcomes.record("7", $0) }
    unwanted.cancel()
    source.open()
    #expect(throws: Never.self) { try outcomes.wait(for: 1)["7"]?.get() }
    #expect(cache.contains("7"))
  }

  @Test func `deallocating the cache cancels waiting loads`() throws {
    let source = GatedSource(covers)
    let outcomes = Outcomes()
    do {
      let cache = try cache(source) { $0.concurrentLoads = 1 }
      cache.request("0") { outcomes.record("0", $0) }
      source.waitForLoads(1)
      cache.request("1") { outcomes.record("1", $0) }
    }
    #expect(outcomes.wait(for: 1)["1"]?.error == .cancelled(cover: "1"))
    source.open()
    #expect(outcomes.wait(for: 2).count == 2)
  }

  @Test func `covers come from the disk tier after a restart`() async throws {
    let folder = try TemporaryFolder()
    let first = GatedSource(covers, isOpen: true)
    _ = await (try cache(first, disk: DiskTier(directory: folder.path))).outcome(of: "3")
    let second = GatedSource(covers, isOpen: true)
    let cache = try cache(second, disk: DiskTier(directory: folder.path))
    #expect(try await cache.outcome(of: "3").get().size == PixelSize(width: 20, height: 30))
    #expect(second.calls.isEmpty)
    #expect(cache.pipeline.disk?.metrics.hitCount == 1)
  }

  @Test func `covers of full size do not take the place of scaled ones on disk`() throws {
    let folder = try TemporaryFolder()
    let source = GatedSource(covers, isOpen: true)
    func open(_ decoding: CoverDecoding) throws -> CoverCache {
      try cache(source, disk: DiskTier(directory: folder.path)) { $0.decoding = decoding }
    }
    let (full, scaled) = (PixelSize(width: 400, height: 600), PixelSize(width: 20, height: 30))
    #expect(try open(.full).load("3").size == full)
    #expect(try open(.scaled).load("3").size == scaled)
    #expect(try open(.full).load("3").size == full)
  }
}

@Suite struct `memory pressure` {
  @Test(arguments: [
    // 30 % of each tier are three covers: 3 x 2,400 + 3 x 9,600 bytes.
    (MemoryPressure.normal, 0, 10, 10), (.warning, 36_000, 7, 7), (.urgent, 96_000, 10, 0),
    (.critical, 120_000, 0, 0),
  ])
  func `each pressure level frees the same covers as the case study`(
    pressure: MemoryPressure, freed: Int, thumbnails: Int, images: Int
  ) throws {
    let cache = try fullCache(limits: CoverCacheConfiguration().imageLimits)
    #expect(cache.reduce(under: pressure) == freed)
    #expect(cache.metrics(of: .thumbnail).objectCount == thumbnails)
    #expect(cache.metrics(of: .image).objectCount == images)
  }

  @Test func `memory pressure evicts the least recently used covers first`() throws {
    let cache = try fullCache(limits: CoverCacheConfiguration().imageLimits)
    #expect(cache.thumbnail(for: "0") != nil)
    cache.reduce(under: .warning)
    #expect(cache.contains("0"))
    #expect(!cache.contains("1"))
  }
}
