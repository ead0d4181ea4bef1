import PerfTestSupport
import Testing

@testable import CoverCache

@Suite struct `a disk tier` {
  let folder: TemporaryFolder
  let clock = ManualClock()

  init() throws { folder = try TemporaryFolder() }

  func open(limit: Int = 1 << 20) throws -> DiskTier {
    try DiskTier(directory: folder.path, byteLimit: limit, clock: clock.clock)
  }

  @Test(arguments: ["9780140449136", "", "../../etc/passwd", "a/b\0c\n", "ünï¢ødé 📚"])
  func `a disk tier returns stored bytes for any key`(key: String) throws {
    let tier = try open()
    try tier.store([1, 2, 3], for: key)
    #expect(tier.contents(for: key) == [1, 2, 3])
    // The name is a hash, so no key leads out of the folder.
    #expect(folder.names.count == 1)
    #expect(folder.names.allSatisfy { $0.count == 22 && $0.hasSuffix(".cover") })
  }

  @Test func `stored objects survive a restart`() throws {
    try open().store([7, 8], for: "a")
    let reopened = try open()
    #expect(reopened.contents(for: "a") == [7, 8])
    #expect(reopened.contents(for: "b") == nil)
    #expect(reopened.metrics.hitRatio == 0.5)
  }

  @Test func `a disk tier never exceeds its byte limit`() throws {
    var random = SampleRandom(seed: 11)
    let tier = try open(limit: 5000)
    for _ in 0..<300 {
      let count = Int.random(in: 0...1500, using: &random)
      let key = "\(Int.random(in: 0..<30, using: &random))"
      try tier.store(Array(repeating: 1, count: count), for: key)
      #expect(folder.byteCount <= 5000)
      #expect(tier.metrics.memoryUsage == folder.byteCount)
    }
    #expect(tier.metrics.evictionCount > 0)
  }

  @Test func `the least recently used object is evicted first, even after a restart`() throws {
    // A file has 20 bytes of header, 1 of key and 100 of content: three fit into 400.
    let content = Array(repeating: UInt8(1), count: 100)
    let tier = try open(limit: 400)
    for key in ["a", "b", "c"] {
      try tier.store(content, for: key)
      clock.advance(by: .seconds(1))
    }
    #expect(tier.contents(for: "a") == content)
    clock.advance(by: .seconds(1))
    let reopened = try open(limit: 400)
    try reopened.store(content, for: "d")
    #expect(reopened.contents(for: "b") == nil)
    for key in ["a", "c", "d"] { #expect(reopened.contents(for: key) == content) }
  }

  @Test func `opening a folder with a lower limit evicts objects`() throws {
    let tier = try open()
    for key in ["a", "b", "c"] {
      try tier.store(Array(repeating: 1, count: 100), for: key)
      clock.advance(by: .seconds(1))
    }
    let reopened = try open(limit: 130)
    #expect(folder.byteCount == 121)
    #expect(reopened.contents(for: "c") != nil)
  }

  @Test func `an object over the limit is not stored`() throws {
    let tier = try open(limit: 100)
    try tier.store([1], for: "a")
    try tier.store(Array(repeating: 1, count: 100), for: "b")
    #expect(tier.contents(for: "b") == nil)
    #expect(tier.contents(for: "a") == [1])
  }

  @Test func `objects older than seven days are dropped`() throws {
    let tier = try open()
    try tier.store([1], for: "a")
    clock.advance(by: .seconds(7 * 86_400))
    #expect(tier.contents(for: "a") == [1])
    clock.advance(by: .seconds(1))
    #expect(tier.contents(for: "a") == nil)
    #expect(folder.names.isEmpty)
    #expect(tier.metrics.hitCount == 1)
    #expect(tier.metrics.missCount == 1)
  }

  @Test func `an object's age counts from its writing, not from its last use`() throws {
    let tier = try open()
    try tier.store([1], for: "a")
    clock.advance(by: .seconds(5 * 86_400))
    #expect(tier.contents(for: "a") == [1])
    clock.advance(by: .seconds(3 * 86_400))
    #expect(try open().contents(for: "a") == nil)
  }

  @Test func `removeExpired removes all expired objects`() throws {
    let tier = try open()
    for key in ["a", "b"] { try tier.store([1], for: key) }
    clock.advance(by: .seconds(4 * 86_400))
    try tier.store([1], for: "c")
    clock.advance(by: .seconds(4 * 86_400))
    #expect(tier.removeExpired() == 2)
    #expect(folder.names.count == 1)
  }

  @Test func `a clock that jumps back does not expire objects`() throws {
    let tier = try open()
    try tier.store([1], for: "a")
    clock.advance(by: .seconds(-90 * 86_400))
    #expect(tier.contents(for: "a") == [1])
  }

  @Test func `a file with any changed byte is dropped`() throws {
    let tier = try open()
    try tier.store([10, 20, 30], for: "key")
    let name = try #require(folder.names.first)
    let intact = try #require(folder.read(name))
    for index in intact.indices {
      var damaged = intact
      damaged[index] ^= 0x40
      try folder.write(damaged, to: name)
      #expect(try open().contents(for: "key") == nil, "byte \(index) of \(intact.count)")
      #expect(folder.names.isEmpty)
    }
  }

  @Test func `a file truncated at any place is dropped`() throws {
    try open().store([10, 20, 30], for: "key")
    let name = try #require(folder.names.first)
    let intact = try #require(folder.read(name))
    for count in intact.indices {
      try folder.write(Array(intact[..<count]), to: name)
      let tier = try open()
      #expect(tier.contents(for: "key") == nil)
      #expect(tier.damagedCount == 1)
      #expect(tier.metrics == CacheMetrics(missCount: 1))
    }
  }

  @Test func `a file with another key's content is a miss`() throws {
    let tier = try open()
    try tier.store([1], for: "a")
    try tier.store([2], for: "b")
    let names = folder.names
    // As if both keys had one hash: each name now has the other's content.
    let contents = names.compactMap { folder.read($0) }
    try folder.write(contents[0], to: names[1])
    try folder.write(contents[1], to: names[0])
    #expect(tier.contents(for: "a") == nil)
    #expect(tier.contents(for: "b") == nil)
  }

  @Test func `opening a folder removes unfinished files and keeps foreign ones`() throws {
    try folder.write([1], to: "0011223344556677.cover.tmp")
    try folder.write([1], to: "notes.txt")
    try folder.write([1], to: "notes.tmp")
    _ = try open()
    #expect(folder.names == ["notes.tmp", "notes.txt"])
  }

  @Test func `a deleted file is a miss and frees its room`() throws {
    let tier = try open()
    try tier.store([1], for: "a")
    let name = try #require(folder.names.first)
    try folder.remove(name)
    #expect(tier.contents(for: "a") == nil)
    #expect(tier.metrics.memoryUsage == 0)
  }

  @Test func `storing into a deleted folder throws and leaves the tier usable`() throws {
    let tier = try open()
    try folder.removeAll()
    #expect(throws: CoverError.self) { try tier.store([1], for: "a") }
    #expect(tier.metrics.objectCount == 0)
    #expect(tier.contents(for: "a") == nil)
  }

  @Test func `a disk tier works again after its folder is recreated`() throws {
    let tier = try open()
    try tier.store([1], for: "a")
    try folder.removeAll()
    #expect(throws: CoverError.self) { try tier.store([2], for: "b") }
    try folder.make()
    try tier.store([3], for: "c")
    #expect(tier.contents(for: "c") == [3])
    #expect(tier.contents(for: "a") == nil)
    #expect(tier.metrics.objectCount == 1)
  }

  // 28 is ENOSPC, 30 EROFS, 5 EIO.
  @Test(arguments: [28, 30, 5] as [Int32], [0, 10])
  func `a failed write throws its errno value and keeps other objects`(code: Int32, written: Int)
    throws
  {
    let failing = Switch()
    let tier = try DiskTier(directory: folder.path, byteLimit: 1000, clock: clock.clock) {
      bytes, path throws(Errno) in
      try writeFile(failing.isOn ? Array(bytes[..<written]) : bytes, to: path)
      if failing.isOn { throw Errno(code: code) }
    }
    try tier.store([1], for: "a")
    failing.isOn = true
    let path = "\(folder.path)/\(DiskFile.name(of: "b"))"
    #expect(throws: CoverError.notStored(path: path, code: code)) {
      try tier.store(Array(repeating: 2, count: 100), for: "b")
    }
    // No partial file stays, and no room is taken for it.
    #expect(folder.names == [DiskFile.name(of: "a")])
    #expect(tier.metrics.memoryUsage == folder.byteCount)
    #expect(tier.contents(for: "a") == [1])
    failing.isOn = false
    try tier.store([2], for: "b")
    #expect(tier.contents(for: "b") == [2])
  }

  @Test func `a folder without write permission can still be opened and read`() throws {
    // Not even root may create a file in it.
    let tier = try DiskTier(directory: "/proc/self")
    #expect(throws: CoverError.self) { try tier.store([1], for: "a") }
    #expect(tier.contents(for: "a") == nil)
    #expect(tier.metrics.objectCount == 0)
  }

  @Test func `unfinished files count against the byte limit`() throws {
    let most = Most()
    let path = folder.path
    let tier = try DiskTier(directory: path, byteLimit: 2000, clock: clock.clock) {
      bytes, path throws(Errno) in
      try writeFile(Array(bytes[..<(bytes.count / 2)]), to: path)
      most.record(folder.byteCount)
      try writeFile(bytes, to: path)
      most.record(folder.byteCount)
    }
    var random = SampleRandom(seed: 4)
    for _ in 0..<200 {
      let count = Int.random(in: 0...900, using: &random)
      try tier.store(
        Array(repeating: 1, count: count), for: "\(Int.random(in: 0..<8, using: &random))")
    }
    #expect(most.value <= 2000)
    #expect(most.value > 1500)
  }

  @Test func `reading a damaged file drops it`() throws {
    let tier = try open()
    try tier.store([1, 2, 3], for: "a")
    try folder.write([0], to: DiskFile.name(of: "a"))
    #expect(tier.contents(for: "a") == nil)
    #expect(tier.damagedCount == 1)
    try tier.store([4], for: "a")
    #expect(tier.contents(for: "a") == [4])
  }

  @Test func `a file from the future expires like a new one`() throws {
    let tier = try open()
    try tier.store([1], for: "a")
    clock.advance(by: .seconds(-365 * 86_400))
    let reopened = try open()
    clock.advance(by: .seconds(8 * 86_400))
    #expect(reopened.contents(for: "a") == nil)
  }

  @Test func `opening a disk tier at a file throws ENOTDIR`() throws {
    try folder.write([1], to: "file")
    let path = "\(folder.path)/file"
    // 20 is ENOTDIR on Linux.
    #expect(throws: CoverError.unusableDirectory(path: path, code: 20)) {
      try DiskTier(directory: path)
    }
  }
}
