import CoverCache
import Foundation
import PerfTestSupport
import PerfWorkload
import Synchronization
import Testing

@testable import BookWorkloads

/// Runs a workload once with some parameters and returns its counters.
private func counters<Measured: Workload>(
  of workload: Measured.Type, _ given: [String: ParameterValue]
) throws -> [String: Double] {
  let folder = try TemporaryFolder()
  var given = given
  if Measured.parameters.contains(where: { $0.declaration.name == "sizes" }) {
    given["sizes"] = .string("small")
  }
  let parameters = try ParameterValues(given, of: Measured.parameters)
  let counters = try WorkloadRun(Measured.self, parameters, in: folder).counters
  // A wait that did not occur has no time.
  let names = Measured.counters.map(\.name)
  #expect(Set(counters.keys).isSubset(of: names))
  #expect(names.allSatisfy { counters.keys.contains($0) || $0.hasPrefix("network.wait.") })
  return counters
}

struct NetworkFaultTests {
  @Test func `joined requests reach the network once per cover`() throws {
    let counters = try counters(
      of: NetworkFault.self, ["books": .int(30), "speed": .double(1000), "failures": .double(10)])
    #expect(counters["network.duplicates"] == 0)
    #expect(counters["loads.failed"] == 0)
    #expect((counters["network.concurrency"] ?? 9) <= 3)
    #expect((counters["loads.retried"] ?? 0) > 0)
    // Thirty covers are loaded, plus the retried loads.
    #expect(counters["network.requests"] == 30 + (counters["loads.retried"] ?? 0))
  }

  @Test func `failed loads are retried after 1, 2 and 4 s`() throws {
    // Of forty covers 24 fail at least once, 14 twice and 9 three times. A wait is up to a quarter
    // longer by chance, and longer still on a slow machine, but never shorter.
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

  @Test func `requests that are not joined reach the network each time`() throws {
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

  @Test func `waits are counted by the failures since the last success`() throws {
    let time = Mutex(Duration.zero)
    let clock = LoadClock(
      now: { time.withLock { $0 } }, call: { _, body in body() }, sleep: { _ in })
    let fates = Mutex<[CoverError?]>([
      .unreachable(cover: "a"), .overloaded(cover: "a", retryAfter: .seconds(2)),
      .unreachable(cover: "a"), nil, .unreachable(cover: "a"), nil,
    ])
    let observed = ObservedRetries(
      origin: DerivedCovers { _ throws(CoverError) in
        if let error = fates.withLock({ $0.removeFirst() }) { throw error }
        return []
      }, clock: clock)
    for second in [0, 1, 4, 12, 20, 30] {
      time.withLock { $0 = .seconds(second) }
      _ = try? observed.encodedCover(for: "a")
    }
    let context = MeasurementContext()
    observed.report(to: context)
    // 1 s after the first failure and, after a success, 10 s; the upper one is the median. The
    // pause from 1 s to 4 s was the server's; 8 s follow the third failure, the second lost one.
    #expect(context.counters == ["network.wait.first": 10e9, "network.wait.third": 8e9])
  }
}

struct DiskReplayTests {
  private func counters(bounded: Bool) throws -> [String: Double] {
    try BookWorkloadsTests.counters(
      of: DiskReplay.self,
      [
        "books": .int(60), "requests": .int(200), "cover_bytes": .int(40_000), "limit": .int(1),
        "damage_every": .int(20), "bounded": .bool(bounded),
      ])
  }

  @Test func `a bounded folder keeps its limit and returns no damaged cover`() throws {
    let counters = try counters(bounded: true)
    #expect((counters["disk.most_bytes"] ?? .infinity) <= 1_048_576)
    #expect(counters["disk.undetected"] == 0)
    #expect((counters["disk.damaged"] ?? 0) > 0)
    // The requests span ten days, and no object is older than seven days.
    #expect((counters["disk.oldest"] ?? 0) > 86_400e9)
    #expect((counters["disk.oldest"] ?? .infinity) <= 7 * 86_400e9)
  }

  @Test func `the size of the folder is that of its files, not of the tier's table`() throws {
    let folder = try TemporaryFolder()
    let scratch = try TemporaryFolder()
    let disk = "\(scratch.path)/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    try Data(count: 2_000_000).write(to: URL(fileURLWithPath: "\(disk)/foreign"))
    let parameters = try ParameterValues(
      [
        "books": .int(5), "requests": .int(50), "cover_bytes": .int(1_000), "damage_every": .int(0),
      ],
      of: DiskReplay.parameters)
    let counters = try WorkloadRun(DiskReplay.self, parameters, in: folder, scratch: scratch)
      .counters
    // Each of the five files also has a header of 20 bytes and its key.
    let name = Double(BookGenerator.coverName(of: 0).utf8.count)
    #expect(counters["disk.most_bytes"] == 2_000_000 + 5 * (1_020 + name))
    // There are five misses and forty-five hits.
    #expect((counters["disk.load_time"] ?? 0) > 0)
    #expect((counters["disk.miss_time"] ?? 0) > 0)
  }

  @Test func `a folder that only limits the age exceeds the size limit`() throws {
    #expect((try counters(bounded: false)["disk.most_bytes"] ?? 0) > 1_048_576)
  }
}

struct OversizeCostTests {
  // In 1 MiB one cover of 300 x 450 x 4 = 540,000 bytes fits beside thumbnails of 240,000 bytes.
  private func ratio(_ policy: MemoryPolicy, _ cost: CoverCost) throws -> Double {
    try counters(
      of: OversizeCost.self,
      [
        "books": .int(12), "width": .int(300), "limit": .int(1), "objects": .int(24),
        "policy": .string(policy.rawValue), "cost": .string(cost.rawValue),
      ])["cache.limit_ratio"] ?? .nan
  }

  @Test(arguments: MemoryPolicy.bounded)
  func `a tier that counts bytes stays below its limit`(policy: MemoryPolicy) throws {
    #expect(try ratio(policy, .bytes) <= 1)
  }

  @Test func `a tier that counts only objects exceeds the byte limit`() throws {
    #expect(try ratio(.lru, .pixels) > 3)
    // 12 x 540,000 + 12 x 240,000 bytes.
    #expect(try ratio(.lru, .none) == 9_360_000.0 / 1_048_576)
  }

  @Test func `a tier that evicts after the insertion counts with the inserted cover`() throws {
    // A cover and a thumbnail are in memory when NSCache gets the next cover of 540,000 bytes.
    #expect(try ratio(.nsCache, .bytes) == (2 * 540_000.0 + 240_000) / 1_048_576)
  }
}

struct PrefetchSweepTests {
  @Test(arguments: PrefetchSweep.Strategy.allCases, [false, true])
  func `the prefetch workload runs with every strategy`(
    strategy: PrefetchSweep.Strategy, isAware: Bool
  ) throws {
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

  @Test func `a latency delays covers`() throws {
    let counters = try counters(
      of: PrefetchSweep.self,
      [
        "books": .int(60), "seconds": .double(0.1), "latency": .int(10_000), "loads": .int(1),
      ])
    // 10 s are the median latency of a cover, and the list is displayed for 0.1 s.
    #expect(counters["loads.finished"] == 0)
  }

  // 15 books are visible and requested, and 20 more are prefetched.
  @Test(arguments: [(true, 0), (false, 20)])
  func `only a list that cancels nothing loads the prefetched covers of its old order`(
    isCancelling: Bool, finished: Int
  ) throws {
    let bytes = try JPEGEncoder().encode(
      try PixelBuffer(size: PixelSize(width: 4, height: 6)) { _ in })
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = 1
    let cache = try CoverCache(
      source: DerivedCovers { _ in bytes }, configuration: configuration)
    cache.setConcurrentLoads(0)
    var list = PrefetchedList(
      keys: (0..<200).map { "\($0)" }, cache: cache, strategy: .ahead(20), isScrollAware: false,
      isCancelling: isCancelling)
    list.show(at: 0, time: .zero)
    #expect(cache.loadMetrics.pendingCount == 35)
    list.turnRound()
    let isIdle = DispatchSemaphore(value: 0)
    cache.request("last", priority: .prefetch) { _ in isIdle.signal() }
    cache.setConcurrentLoads(1)
    isIdle.wait()
    #expect(cache.loadMetrics.finishedCount == finished + 1)
  }
}

struct ThermalLadderTests {
  @Test func `no cover is loaded in the critical state and loading resumes afterwards`() throws {
    let counters = try counters(
      of: ThermalLadder.self, ["books": .int(20), "stage": .double(0.2), "nice": .int(0)])
    // Loads that were running when the state changed may finish.
    #expect((counters["thermal.loads.critical"] ?? 9) <= 3)
    #expect((counters["thermal.loads.recovered"] ?? 0) > 0)
    #expect((counters["thermal.most_bytes"] ?? .infinity) <= 5_000_000)
  }
}

struct CacheWarmingTests {
  @Test(arguments: CacheWarmer.Pace.allCases)
  func `warming loads all covers at every pace`(pace: CacheWarmer.Pace) throws {
    let counters = try counters(
      of: CacheWarming.self,
      [
        "books": .int(6), "held": .int(50), "pace": .string(pace.rawValue), "refresh": .double(4),
      ])
    #expect(counters["warming.covers"] == 6)
  }
}
