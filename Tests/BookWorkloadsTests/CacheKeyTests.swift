import CoverCache
import Dispatch
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct CacheKeyTests {
  private func counters(_ given: [String: ParameterValue]) async throws -> [String: Double] {
    let small: [String: ParameterValue] = [
      "books": .int(60), "requests": .int(400), "capacity": .int(20),
    ]
    let parameters = try ParameterValues(
      given.merging(small) { $1 }, of: CacheThrash.parameters)
    return try await onOwnThread {
      try WorkloadRun(CacheThrash.self, parameters, in: try TemporaryFolder()).counters
    }
  }

  @Test(arguments: CoverKeyForm.allCases)
  func `the form of the key does not change the hit ratio`(key: CoverKeyForm) async throws {
    let counters = try await counters(["key": .string(key.rawValue)])
    #expect((counters["cache.request_time"] ?? 0) > 0)
    let stored = try await self.counters([:])["cache.hit_ratio"]
    #expect(counters["cache.hit_ratio"] == stored)
    #expect(counters["cache.read_after_write"] == 1)
  }

  @Test func `a cover that a queue has not stored yet is missed`() throws {
    let cover = try PixelBuffer(size: PixelSize(width: 1, height: 1)) { _ in }
    let tier = MemoryPolicy.lru.makeTier(limits: TierLimits())
    let queue = DispatchQueue(label: "suspended")
    queue.suspend()
    let keys = (0..<10).map { "\($0)" }
    #expect(CacheThrash.readAfterWrite(keys, cover: cover, in: tier, by: queue) == 0)
    queue.resume()
    queue.sync {}
    #expect(tier.metrics.objectCount == 10)
    #expect(CacheThrash.readAfterWrite(keys, cover: cover, in: tier, by: nil) == 1)
  }

  @Test func `a queue that stores covers does not change the hit ratio`() async throws {
    let counters = try await counters(["queued": .bool(true)])
    #expect(counters["cache.hit_ratio"] == (try await self.counters([:])["cache.hit_ratio"]))
    #expect(counters["cache.read_after_write"] != nil)
  }

  @Test(arguments: CacheAccess.allCases)
  func `two concurrent readers lose no cover`(access: CacheAccess) async throws {
    let counters = try await counters(["access": .string(access.rawValue)])
    #expect(counters["cache.lost"] == 0)
    #expect((counters["cache.contended_time"] ?? 0) > 0)
  }
}
