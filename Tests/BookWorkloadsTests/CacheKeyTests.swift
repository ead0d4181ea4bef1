import CoverCache
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

  @Test func `a cover that a queue stores can be missed right afterwards`() async throws {
    let found = try #require(try await counters(["queued": .bool(true)])["cache.read_after_write"])
    #expect((0...1).contains(found))
  }

  @Test(arguments: CacheAccess.allCases)
  func `two concurrent readers lose no cover`(access: CacheAccess) async throws {
    let counters = try await counters(["access": .string(access.rawValue)])
    #expect(counters["cache.lost"] == 0)
    #expect((counters["cache.contended_time"] ?? 0) > 0)
  }
}
