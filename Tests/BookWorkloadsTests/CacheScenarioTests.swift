import CoverCache
import Foundation
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

/// Runs a workload once with some of its parameters, and returns its counters.
private func counters<Measured: Workload>(
  of workload: Measured.Type, _ given: [String: ParameterValue]
) throws -> [String: Double] {
  let folder = try TemporaryFolder()
  var given = given
  if Measured.parameters.contains(where: { $0.name == "sizes" }) {
    given["sizes"] = .string("small")
  }
  let parameters = try ParameterValues(given, of: Measured.parameters)
  let counters = try WorkloadRun(Measured.self, parameters, in: folder).counters
  // A wait that there was not has no time.
  let names = Measured.counters.map(\.name)
  #expect(Set(counters.keys).isSubset(of: names))
  #expect(names.allSatisfy { counters.keys.contains($0) || $0.hasPrefix("network.wait.") })
  return counters
}

@Suite struct `A network that fails` {
  @Test func `is asked once for each cover when requests are joined`() throws {
    let counters = try counters(
      of: NetworkFault.self, ["books": .int(30), "speed": .double(1000), "failures": .double(10)])
    #expect(counters["network.duplicates"] == 0)
    #expect(counters["loads.failed"] == 0)
    #expect((counters["network.concurrency"] ?? 9) <= 3)
    #expect((counters["loads.retried"] ?? 0) > 0)
    // Thirty that come, and those that are tried again.
    #expect(counters["network.requests"] == 30 + (counters["loads.retried"] ?? 0))
  }

  @Test func `is left alone for 1, 2 and 4 s after failures`() throws {
    // Of forty covers 24 fail at least once, 14 twice and 9 three times. A wait is up to a quarter
    // longer by chance, and by what the machine is late: never shorter.
    let counters = try counters(
      of: NetworkFault.self,
      [
        "books": .int(40), "speed": .double(100), "failures": .double(60), "overloads": .double(0),
        "loads": .int(64),
      ])
    for (name, seconds) in [("first", 1.0), ("second", 2), ("third", 4)] {
      #expect((counters["network.wait.\(name)"] ?? 0) >= seconds * 1e9)
    }
  }

  @Test func `is asked again and again when they are not`() throws {
    let counters = try counters(
      of: NetworkFault.self,
      [
        "books": .int(30), "speed": .double(1000), "failures": .double(10), "joined": .bool(false),
        "retried": .bool(false),
      ])
    #expect(counters["network.requests"] == 90)
    #expect((counters["network.duplicates"] ?? 0) > 30)
    #expect((counters["loads.failed"] ?? 0) > 0)
  }
}

@Suite struct `A folder of covers` {
  private func counters(bounded: Bool) throws -> [String: Double] {
    try BookWorkloadsTests.counters(
      of: DiskReplay.self,
      [
        "books": .int(60), "requests": .int(200), "cover_bytes": .int(40_000), "limit": .int(1),
        "damage_every": .int(20), "bounded": .bool(bounded),
      ])
  }

  @Test func `keeps its limit, and never hands out damage`() throws {
    let counters = try counters(bounded: true)
    #expect((counters["disk.most_bytes"] ?? .infinity) <= 1_048_576)
    #expect(counters["disk.undetected"] == 0)
    #expect((counters["disk.damaged"] ?? 0) > 0)
    // Ten days of requests, and nothing older than seven.
    #expect((counters["disk.oldest"] ?? 0) > 86_400e9)
    #expect((counters["disk.oldest"] ?? .infinity) <= 7 * 86_400e9)
  }

  @Test func `grows over it when only age counts`() throws {
    #expect((try counters(bounded: false)["disk.most_bytes"] ?? 0) > 1_048_576)
  }
}

@Suite struct `A tier of large covers` {
  // Under 1 MiB: covers of 300 x 450 x 4 = 540,000 bytes, one at a time beside the thumbnails of
  // 240,000.
  private func ratio(_ policy: MemoryPolicy, _ cost: CoverCost) throws -> Double {
    try counters(
      of: OversizeCost.self,
      [
        "books": .int(12), "width": .int(300), "limit": .int(1), "objects": .int(24),
        "policy": .string(policy.rawValue), "cost": .string(cost.rawValue),
      ])["cache.limit_ratio"] ?? .nan
  }

  @Test(arguments: MemoryPolicy.bounded)
  func `is never over its limit when bytes are counted`(policy: MemoryPolicy) throws {
    #expect(try ratio(policy, .bytes) <= 1)
  }

  @Test func `is over it when they are not`() throws {
    #expect(try ratio(.lru, .pixels) > 3)
    // 12 x 540,000 + 12 x 240,000 bytes.
    #expect(try ratio(.lru, .none) == 9_360_000.0 / 1_048_576)
  }
}

@Suite struct `A list with covers loaded ahead` {
  @Test(arguments: PrefetchSweep.Strategy.allCases, [false, true])
  func `runs with every strategy`(strategy: PrefetchSweep.Strategy, isAware: Bool) throws {
    let counters = try counters(
      of: PrefetchSweep.self,
      [
        "books": .int(60), "seconds": .double(0.2), "sorted_after": .double(0.1),
        "strategy": .string(strategy.rawValue), "scroll_aware": .bool(isAware),
      ])
    #expect(counters["loads.failed"] == 0)
    #expect((0...1).contains(counters["prefetch.accuracy"] ?? -1))
    #expect((0...1).contains(counters["prefetch.coverage"] ?? -1))
    if strategy == .none { #expect(counters["prefetch.wasted"] == 0) }
  }
}

@Suite struct `A cache on a hot device` {
  @Test func `loads nothing while it is critical, and everything afterwards`() throws {
    let counters = try counters(
      of: ThermalLadder.self, ["books": .int(20), "stage": .double(0.2), "nice": .int(0)])
    // What ran when the state came may end in it.
    #expect((counters["thermal.loads.critical"] ?? 9) <= 3)
    #expect((counters["thermal.loads.recovered"] ?? 0) > 0)
    #expect((counters["thermal.most_bytes"] ?? .infinity) <= 5_000_000)
  }
}

@Suite struct `A cache that is warmed` {
  @Test(arguments: CacheWarmer.Pace.allCases)
  func `has all covers in the end`(pace: CacheWarmer.Pace) throws {
    let counters = try counters(
      of: CacheWarming.self,
      [
        "books": .int(6), "held": .int(50), "pace": .string(pace.rawValue), "refresh": .double(4),
      ])
    #expect(counters["warming.covers"] == 6)
  }
}
