import CoverCache
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

@Suite struct `What covers are looked up by, and how` {
  private func counters(_ given: [String: ParameterValue]) throws -> [String: Double] {
    let small: [String: ParameterValue] = [
      "books": .int(60), "requests": .int(400), "capacity": .int(20),
    ]
    let parameters = try ParameterValues(
      given.merging(small) { $1 }, of: CacheThrash.parameters)
    return try WorkloadRun(CacheThrash.self, parameters, in: try TemporaryFolder()).counters
  }

  @Test(arguments: CoverKeyForm.allCases)
  func `makes no difference to hits`(key: CoverKeyForm) throws {
    let counters = try counters(["key": .string(key.rawValue)])
    #expect((counters["cache.request_time"] ?? 0) > 0)
    let stored = try self.counters([:])["cache.hit_ratio"]
    #expect(counters["cache.hit_ratio"] == stored)
    #expect(counters["cache.read_after_write"] == 1)
  }

  @Test func `may be missed right after it was stored by a queue`() throws {
    let found = try #require(try counters(["queued": .bool(true)])["cache.read_after_write"])
    #expect((0...1).contains(found))
  }

  @Test(arguments: CacheAccess.allCases)
  func `may be shared by two readers, and nothing is lost`(access: CacheAccess) throws {
    let counters = try counters(["access": .string(access.rawValue)])
    #expect(counters["cache.lost"] == 0)
    #expect((counters["cache.contended_time"] ?? 0) > 0)
  }
}
