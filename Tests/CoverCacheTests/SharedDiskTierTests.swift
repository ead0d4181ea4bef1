import PerfTestSupport
import Testing

@testable import CoverCache

@Suite struct `two disk tiers on one folder` {
  let folder: TemporaryFolder
  let clock = ManualClock()

  init() throws { folder = try TemporaryFolder() }

  func open(limit: Int = 1 << 20) throws -> DiskTier {
    try DiskTier(directory: folder.path, byteLimit: limit, clock: clock.clock)
  }

  @Test func `a disk tier finds objects stored by another tier on its folder`() throws {
    let (first, second) = (try open(), try open())
    try first.store([1], for: "a")
    #expect(second.contents(for: "a") == [1])
    try second.store([2], for: "a")
    #expect(first.contents(for: "a") == [2])
    #expect(first.contents(for: "b") == nil)
  }

  @Test func `two disk tiers on one folder keep one limit together`() throws {
    var random = SampleRandom(seed: 12)
    let tiers = [try open(limit: 3000), try open(limit: 3000)]
    for _ in 0..<200 {
      let tier = tiers[Int.random(in: 0...1, using: &random)]
      let count = Int.random(in: 0...900, using: &random)
      try tier.store(
        Array(repeating: 1, count: count), for: "\(Int.random(in: 0..<20, using: &random))")
      #expect(folder.byteCount <= 3000)
      #expect(tier.metrics.memoryUsage == folder.byteCount)
    }
  }

  @Test func `a file evicted by another tier is a miss, not a damaged file`() throws {
    let (first, second) = (try open(limit: 150), try open(limit: 150))
    try first.store(Array(repeating: 1, count: 100), for: "a")
    try second.store(Array(repeating: 2, count: 100), for: "b")
    #expect(first.contents(for: "a") == nil)
    #expect(first.damagedCount == 0)
    #expect(first.contents(for: "b")?.count == 100)
  }

  // 1 is stored before, so that the write replaces it.
  @Test(arguments: [false, true])
  func `a look-up during a write is a miss, and the written object is kept`(
    isReplaced: Bool
  ) throws {
    let whileWriting = Action()
    let tier = try DiskTier(directory: folder.path, byteLimit: 1000, clock: clock.clock) {
      bytes, path throws(Errno) in
      try writeFile(bytes, to: path)
      whileWriting.run()
    }
    if isReplaced { try tier.store([1], for: "a") }
    whileWriting.set { #expect(tier.contents(for: "a") == nil) }
    try tier.store([2], for: "a")
    #expect(tier.contents(for: "a") == [2])
    #expect(tier.metrics.objectCount == 1)
    #expect(tier.metrics.memoryUsage == folder.byteCount)
    #expect(tier.metrics.missCount == 1)
  }

  @Test func `an object that replaces an expired one during a look-up is kept`() throws {
    let whileLookingUp = Action()
    let clock = clock
    let tier = try DiskTier(
      directory: folder.path, byteLimit: 1000,
      clock: CoverClock {
        // The look-up has found its entry and asks for the time.
        defer { whileLookingUp.run() }
        return clock.clock.now()
      })
    try tier.store([1], for: "a")
    clock.advance(by: .seconds(8 * 86_400))
    whileLookingUp.set { #expect(throws: Never.self) { try tier.store([2], for: "a") } }
    #expect(tier.contents(for: "a") == [2])
    #expect(folder.names.count == 1)
    #expect(tier.metrics.hitCount == 1)
    #expect(tier.metrics.missCount == 0)
  }

  @Test func `concurrent threads never read a partial file`() async throws {
    let tiers = [try open(limit: 2000), try open(limit: 2000)]
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          var random = SampleRandom(seed: UInt64(number))
          for _ in 0..<150 {
            let key = UInt8(Int.random(in: 0..<6, using: &random))
            let tier = tiers[number % 2]
            if let bytes = tier.contents(for: "\(key)") {
              #expect(bytes == Array(repeating: key, count: 500))
            } else {
              try? tier.store(Array(repeating: key, count: 500), for: "\(key)")
            }
          }
        }
      }
    }
    #expect(tiers.allSatisfy { $0.damagedCount == 0 })
    #expect(folder.byteCount <= 2000)
    // Every file can still be found.
    let found = (0..<6).filter { tiers[0].contents(for: "\($0)") != nil }
    #expect(found.count == folder.names.count)
  }
}
