import PerfTestSupport
import Synchronization
import Testing

@testable import CoverCache

@Suite struct `a preset` {
  @Test func `each preset has the limits of its case study`() {
    let epilogue = CachePreset.epilogue.configuration
    #expect(epilogue == CoverCacheConfiguration())
    #expect(CachePreset.epilogue.diskByteLimit == 104_857_600)
    let swiftWing = CachePreset.swiftWing.configuration
    // 50 * 1024 * 1024 and 200 * 1024 * 1024, and no decoded covers.
    #expect(swiftWing.encodedLimits == TierLimits(bytes: 52_428_800))
    #expect(CachePreset.swiftWing.diskByteLimit == 209_715_200)
    #expect(swiftWing.imageLimits.count == 0)
    let photo = CachePreset.photoSmoothly.configuration
    #expect(photo.imageLimits == TierLimits(count: 500, bytes: 104_857_600))
    #expect(photo.thumbnailLimits == TierLimits(count: 500, bytes: 52_428_800))
  }

  @Test func `a preset with encoded covers queries its source once and decodes at each use`() throws
  {
    let folder = try TemporaryFolder()
    let bytes = try JPEGEncoder().encode(try gradient(40, 60))
    let source = GatedSource(["a": bytes], isOpen: true)
    let preset = CachePreset.swiftWing
    func open() throws -> CoverCache {
      try CoverCache(
        source: source,
        disk: DiskTier(directory: folder.path, byteLimit: preset.diskByteLimit ?? 0),
        configuration: preset.configuration)
    }
    let cache = try open()
    #expect(try cache.load("a").size == PixelSize(width: 40, height: 60))
    #expect(try cache.load("a") !== cache.load("a"))
    #expect(source.calls == ["a"])
    #expect(cache.encodedMetrics.hitCount == 2)
    #expect(cache.encodedMetrics.memoryUsage == bytes.count)
    #expect(cache.metrics(of: .thumbnail).refusedCount == 3)
    // After a restart the folder contains the bytes from the source.
    #expect(try open().load("a").width == 40)
    #expect(source.calls == ["a"])
  }
}

@Suite struct `an interrupted download` {
  private let whole: [UInt8]
  private let folder: TemporaryFolder

  init() throws {
    whole = try JPEGEncoder().encode(try gradient(40, 60))
    folder = try TemporaryFolder()
  }

  private func cache(_ source: any CoverSource, _ preset: CachePreset) throws -> CoverCache {
    try CoverCache(
      source: source, disk: DiskTier(directory: folder.path), configuration: preset.configuration)
  }

  @Test(arguments: [CachePreset.swiftWing, .epilogue])
  func `the bytes of an interrupted download are fetched again`(preset: CachePreset) throws {
    let source = Downloads([Array(whole.dropLast(whole.count / 2)), Array("<html>".utf8), whole])
    let cache = try cache(source, preset)
    for _ in 0..<2 { #expect(throws: CoverError.self) { try cache.load("a") } }
    #expect(try cache.load("a").size == PixelSize(width: 40, height: 60))
    #expect(try cache.load("a").size == PixelSize(width: 40, height: 60))
    #expect(source.left == 0)
  }

  @Test func `the bytes of an interrupted download do not survive a restart`() throws {
    let source = Downloads([Array(whole.dropLast(whole.count / 2)), whole])
    let preset = CachePreset.swiftWing
    #expect(throws: CoverError.self) { try cache(source, preset).load("a") }
    #expect(try cache(source, preset).load("a").width == 40)
    // The whole cover is on disk now.
    #expect(try cache(source, preset).load("a").width == 40)
    #expect(source.left == 0)
  }
}

/// A source that returns other bytes at each call, and has nothing at the end.
private final class Downloads: CoverSource {
  private let contents: Mutex<[[UInt8]]>

  init(_ contents: [[UInt8]]) { self.contents = Mutex(contents) }

  var left: Int { contents.withLock(\.count) }

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    let next = contents.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let next else { throw .notFound(cover: key) }
    return next
  }
}

@Suite struct `a tier of encoded covers` {
  @Test func `an encoded tier never exceeds its byte limit`() {
    var random = SampleRandom(seed: 8)
    let tier = EncodedTier(limits: TierLimits(bytes: 3000))
    for _ in 0..<500 {
      let count = Int.random(in: 0...4000, using: &random)
      let isHeld = tier.insert(
        Array(repeating: 1, count: count), for: "\(Int.random(in: 0..<20, using: &random))")
      #expect(isHeld == (count <= 3000))
      #expect(tier.metrics.memoryUsage <= 3000)
    }
  }
}

@Suite struct `a cover being loaded` {
  @Test func `a cover counts against the limit before it is decoded`() throws {
    let bytes = try JPEGEncoder().encode(try gradient(20, 30))
    var configuration = CoverCacheConfiguration()
    configuration.thumbnailSize = PixelSize(width: 20, height: 30)
    // Two covers of 2,400 bytes fit.
    configuration.thumbnailLimits = TierLimits(bytes: 5000)
    let watcher = Watcher()
    let cache = try CoverCache(
      source: GatedSource(["a": bytes, "b": bytes, "c": bytes], isOpen: true),
      configuration: configuration
    ) { _, _, _ in watcher.look() }
    watcher.cache = cache
    for key in ["a", "b", "c"] { _ = try cache.load(key) }
    #expect(watcher.held == [2400, 4800, 4800])
    #expect(cache.metrics(of: .thumbnail).reservedBytes == 0)
  }

  @Test func `a cover that cannot be decoded releases its reserved room`() throws {
    var damaged = try JPEGEncoder().encode(try gradient(20, 30))
    damaged.removeLast(damaged.count / 2)
    let cache = try CoverCache(source: GatedSource(["a": damaged], isOpen: true))
    #expect(throws: CoverError.self) { try cache.load("a") }
    #expect(cache.metrics(of: .thumbnail).reservedBytes == 0)
    #expect(cache.metrics(of: .thumbnail).objectCount == 0)
  }

  @Test func `a cover over the limit is returned but not cached`() throws {
    let bytes = try JPEGEncoder().encode(try gradient(20, 30))
    var configuration = CoverCacheConfiguration()
    configuration.thumbnailLimits = TierLimits(bytes: 2399)
    let cache = try CoverCache(
      source: GatedSource(["a": bytes], isOpen: true), configuration: configuration)
    #expect(try cache.load("a").byteCount == 2400)
    #expect(cache.metrics(of: .thumbnail).memoryUsage == 0)
    #expect(cache.metrics(of: .thumbnail).refusedCount == 1)
  }
}

/// Records the memory usage of a cache at each loaded cover; all calls come from one thread.
private final class Watcher: @unchecked Sendable {
  weak var cache: CoverCache?
  var held: [Int] = []

  func look() {
    if let metrics = cache?.metrics(of: .thumbnail) { held.append(metrics.memoryUsage) }
  }
}
