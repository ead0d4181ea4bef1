import CPerfFormat
import PerfModel
import Testing

@testable import PerfProfile

/// Allocations of programs.
@Suite(.enabled(if: AgentUnderTest.hasHeap, "this sanitizer has a heap of its own"))
struct HeapTests {
  private static let counting = configuration(
    interval: CaptureConfiguration.defaultAllocationInterval)

  private static func configuration(interval: UInt64) -> CaptureConfiguration {
    var configuration = CaptureConfiguration.tests
    configuration.allocationInterval = interval
    return configuration
  }

  /// A library with an allocator that replaces the system's.
  private static let allocator = Result<String, any Error> {
    let library = "\(try AgentUnderTest.built.get().folder)/allocator.so"
    var status: Int32 = -1
    for compiler in ["clang", "cc"] where status != 0 {
      status =
        (try? AgentUnderTest.spawn([
          compiler, "-O2", "-fno-builtin", "-fPIC", "-shared", "-o", library,
          "\(AgentUnderTest.tests)/Programs/allocator.c",
        ])) ?? -1
    }
    try #require(status == 0)
    return library
  }

  /// With sampled allocations, and without.
  @Test(arguments: [false, true], [CaptureConfiguration.defaultAllocationInterval, 0])
  func `every allocation is counted with its requested bytes`(
    isOfAnotherAllocator: Bool, interval: UInt64
  ) throws {
    let (status, capture) = try AgentUnderTest.runDrained(
      "heap", Self.configuration(interval: interval),
      with: isOfAnotherAllocator ? Self.allocator.get() : nil)
    // The other allocator aborts the program if it gets memory that is not its own.
    #expect(status == 0)
    func said(_ name: String) -> [Double?] {
      ["count", "bytes"].map { part in
        capture.events.last { $0.name == "\(name).\(part)" }?.value
      }
    }
    #expect(said("malloc") == [1000, 100_000])
    #expect(said("calloc") == [1, 200])
    // 10 and 5,000; the failed call returned no memory.
    #expect(said("realloc") == [2, 5010])
    // 640, 4,096, 96, 8 and 16 bytes were requested.
    #expect(said("aligned") == [5, 4856])
    // Ten letters and a zero, allocated by the C library.
    #expect(said("strdup") == [1, 11])
    #expect(said("failed") == [0, 0])
    #expect(said("thread") == [1000, 10_000])
    let totals = try #require(capture.allocations)
    #expect(totals.count > 3009 && totals.count < 3200)
  }

  @Test func `the agent counts no allocations without the option`() throws {
    let (status, capture) = try AgentUnderTest.runDrained("heap")
    #expect(status == 0)
    #expect(capture.allocations == nil)
    #expect(capture.events.allSatisfy { $0.value == 0 })
  }

  @Test
  func `recorded allocations estimate all memory and the live memory at the peak and at the end`()
    throws
  {
    let (profile, capture) = try AgentUnderTest.profile(of: "heap-lives", Self.counting)
    #expect(capture.audit.allocations_dropped == 0)
    #expect(capture.audit.allocations_untracked == 0)
    // The audit also counts the records before and after the measured phase.
    let samples = profile.counts.filter { $0.state == .allocated }.reduce(0) { $0 + $1.samples }
    let kept = try #require(profile.audit.allocationsKept)
    #expect(samples > 0 && kept >= samples)
    #expect(profile.audit.allocationsLost == 0)
    let bytes = Self.mebibytes(profile)
    // Each block of 1 MiB is recorded with probability 1 - exp(-2) = 0.865, so the estimates of
    // 128, 64 and 16 MiB have standard errors of 3.5, 5 and 10 %. The tolerance is four of them.
    #expect(abs((bytes[.allocated] ?? 0) - 128) < 18)
    #expect(abs((bytes[.livePeak] ?? 0) - 64) < 13)
    #expect(abs((bytes[.liveEnd] ?? 0) - 16) < 6.4)
    // The innermost function is the caller of malloc, not a function of the agent.
    let counts = profile.counts.filter { $0.state == .allocated }
    let leaves = Set(counts.map { profile.functions[profile.nodes[$0.node].function].name })
    #expect(leaves == ["allocate_big"])
    // An allocation has no CPU time.
    #expect(
      profile.audit.samples
        == profile.counts.reduce(0) {
          $0 + ($1.state.dimension == .time ? $1.samples : 0)
        })
  }

  @Test func `recorded allocations are scaled to the counted bytes`() throws {
    let (_, capture) = try AgentUnderTest.runDrained("heap-lives", Self.counting)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0...UInt64.max, allocatedBytes: 1000)
    let allocated = builder.finish().counts.filter { $0.state == .allocated }
    #expect(abs(allocated.reduce(0) { $0 + $1.weight } - 1000) < 1e-6)
  }

  @Test func `exec ends the allocations of the previous program`() throws {
    let bytes = Self.mebibytes(
      try AgentUnderTest.profile(of: "heap-replaced", Self.counting).profile)
    // The standard errors of 32 + 128, 64 and 16 MiB are 3.1, 5 and 10 %. The tolerance is four of
    // them.
    #expect(abs((bytes[.allocated] ?? 0) - 160) < 20)
    #expect(abs((bytes[.livePeak] ?? 0) - 64) < 13)
    #expect(abs((bytes[.liveEnd] ?? 0) - 16) < 6.4)
  }

  @Test func `allocations of children and of the agent are not counted as the program's`() throws {
    let (profile, capture) = try AgentUnderTest.profile(of: "heap-children", Self.counting)
    #expect(capture.allocations?.count == 0)
    // The marks of children are not recorded either.
    #expect(capture.events.isEmpty)
    #expect(profile.counts.allSatisfy { $0.state.dimension == .time })
  }

  @Test func `allocations of short-lived threads are counted when another thread frees them`()
    throws
  {
    // Small rings, of which there are hundreds for short-lived threads.
    var configuration = Self.counting
    configuration.sampleCapacity = 64 << 10
    configuration.markCapacity = 4 << 10
    let (profile, capture) = try AgentUnderTest.profile(of: "heap-threads", configuration)
    let totals = try #require(capture.allocations)
    // 400 threads of 100 pieces; each thread may allocate once more for its stack.
    #expect((40_000...40_800).contains(totals.count))
    #expect((40_000 * 8192...(40_000 * 8192 + 800 * 4096)).contains(totals.bytes))
    #expect(capture.audit.allocations_dropped == 0)
    #expect(capture.audit.allocations_untracked == 0)
    let bytes = Self.mebibytes(profile)
    // About 625 samples of 312.5 MiB: a standard error of 4 %.
    #expect(abs((bytes[.allocated] ?? 0) - 312.5) < 50)
    #expect((bytes[.livePeak] ?? 0) < 5)
    #expect(bytes[.liveEnd] == nil)
  }

  @Test func `samples of time keep their callers beside samples of allocations`() throws {
    let profile = try AgentUnderTest.profile(of: "heap-beside", Self.counting).profile
    let there = profile.counts.filter {
      $0.state == .running && profile.phases[$0.phase] == "there"
    }
    #expect(there.reduce(0) { $0 + $1.samples } > 50)
    for count in there {
      var callers: Set<String> = []
      var node: Int? = count.node
      while let place = node, profile.nodes.indices.contains(place) {
        callers.insert(profile.functions[profile.nodes[place].function].name)
        node = profile.nodes[place].parent
      }
      #expect(!callers.contains("work_here"))
    }
  }

  private static func mebibytes(_ profile: Profile) -> [Profile.State: Double] {
    Dictionary(grouping: profile.counts, by: \.state)
      .mapValues { $0.reduce(0) { $0 + $1.weight } / 1_048_576 }
  }
}
