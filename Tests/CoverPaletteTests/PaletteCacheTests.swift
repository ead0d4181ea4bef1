import CoverCache
import CoverPalette
import Foundation
import PerfTestSupport
import Synchronization
import Testing

@Suite struct `a palette cache` {
  private let folder: TemporaryFolder
  private let clock = ManualClock()

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> PaletteCache {
    let disk = try DiskTier(
      directory: folder.path, maximumAge: PaletteCache.maximumAge, clock: clock.clock)
    return PaletteCache(disk: disk, clock: clock.clock)
  }

  private func cover() throws(CoverError) -> PixelBuffer {
    try stripes([(30, white), (20, RGBA(red: 200, green: 10, blue: 10)), (9, black)])
  }

  @Test func `a palette is extracted once`() throws {
    let cache = try open()
    #expect(cache.palette(for: "a") == nil)
    let palette = try cache.palette(for: "a", from: cover)
    #expect(cache.palette(for: "a") == palette)
    try cache.palette(for: "a", from: cover)
    #expect(cache.extractionCount == 1)
    #expect(cache.metrics.objectCount == 1)
  }

  @Test func `a palette is read from disk after a restart`() throws {
    let palette = try open().palette(for: "a", from: cover)
    let reopened = try open()
    #expect(try reopened.palette(for: "a", from: cover) == palette)
    #expect(reopened.extractionCount == 0)
    #expect(reopened.palette(for: "a") == palette)
  }

  @Test func `a palette on disk is extracted again after thirty days`() throws {
    try open().palette(for: "a", from: cover)
    clock.advance(by: .seconds(30 * 86_400))
    let inTime = try open()
    try inTime.palette(for: "a", from: cover)
    #expect(inTime.extractionCount == 0)
    clock.advance(by: .seconds(1))
    let late = try open()
    try late.palette(for: "a", from: cover)
    #expect(late.extractionCount == 1)
  }

  @Test func `a palette in memory is extracted again after thirty days`() throws {
    let cache = try open()
    try cache.palette(for: "a", from: cover)
    clock.advance(by: .seconds(30 * 86_400))
    #expect(cache.palette(for: "a") != nil)
    clock.advance(by: .seconds(1))
    #expect(cache.palette(for: "a") == nil)
    try cache.palette(for: "a", from: cover)
    #expect(cache.extractionCount == 2)
    #expect(cache.metrics.hitCount == 1)
  }

  @Test(arguments: [false, true])
  func `a palette from far in the future is extracted again`(restarts: Bool) throws {
    clock.advance(by: .seconds(365 * 86_400))
    var cache = try open()
    try cache.palette(for: "a", from: cover)
    // A month in the future is wrong; a day may be a change of the time zone.
    clock.advance(by: .seconds(-86_400))
    if restarts { cache = try open() }
    try cache.palette(for: "a", from: cover)
    let before = cache.extractionCount
    clock.advance(by: .seconds(-364 * 86_400))
    if restarts { cache = try open() }
    try cache.palette(for: "a", from: cover)
    #expect(cache.extractionCount == (restarts ? 1 : before + 1))
  }

  @Test func `a palette of an encoded file is extracted once and counted by tier`() throws {
    let file = try JPEGEncoder().encode(try cover())
    let cache = try open()
    let first = try cache.palette(forEncoded: "a", file: { file })
    let second = try open()
    #expect(try second.palette(forEncoded: "a", file: { [] }) == first)
    #expect(try second.palette(forEncoded: "a", file: { [] }) == first)
    #expect(cache.extractionCount == 1)
    #expect(cache.diskHitCount == 0)
    #expect(second.extractionCount == 0)
    #expect(second.diskHitCount == 1)
    #expect(second.metrics.hitCount == 1)
    #expect(throws: CoverError.self) { try second.palette(forEncoded: "b", file: { [1, 2] }) }
  }

  @Test func `a palette is extracted again when its file is damaged or truncated at any byte`()
    throws
  {
    let palette = try open().palette(for: "a", from: cover)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let name = try #require(names.first { $0.hasSuffix(".cover") })
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder(name)))
    for length in 0..<whole.count {
      try whole.prefix(length).write(to: URL(fileURLWithPath: folder(name)))
      let cache = try open()
      #expect(try cache.palette(for: "a", from: cover) == palette)
      #expect(cache.extractionCount == 1)
    }
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x10
      try damaged.write(to: URL(fileURLWithPath: folder(name)))
      let cache = try open()
      #expect(try cache.palette(for: "a", from: cover) == palette)
      #expect(cache.extractionCount == 1)
    }
  }

  @Test func `fifty palettes stay in memory and the others on disk`() throws {
    let cache = try open()
    for key in 0..<60 { try cache.palette(for: "\(key)", from: cover) }
    #expect(cache.metrics.objectCount == 50)
    #expect(cache.palette(for: "9") == nil)
    #expect(cache.palette(for: "10") != nil)
    try cache.palette(for: "9", from: cover)
    #expect(cache.extractionCount == 60)
  }

  @Test func `a palette is extracted again when the stored one has another format`() throws {
    let disk = try DiskTier(directory: folder.path)
    try disk.store([99, 1, 2, 3], for: "a")
    let cache = PaletteCache(disk: disk)
    try cache.palette(for: "a", from: cover)
    #expect(cache.extractionCount == 1)
  }

  @Test func `the error of a missing picture is rethrown`() throws {
    let cache = PaletteCache()
    #expect(throws: CoverError.notFound(cover: "a")) {
      try cache.palette(for: "a") { () throws(CoverError) in throw .notFound(cover: "a") }
    }
    #expect(cache.metrics.objectCount == 0)
  }
}

/// A clock that changes only when a test advances it.
final class ManualClock: Sendable {
  private let time = Mutex(Duration.seconds(1_700_000_000))

  func advance(by step: Duration) { time.withLock { $0 += step } }

  var clock: CoverClock {
    CoverClock { self.time.withLock { $0 } }
  }
}
