import PerfModel
import Testing

@testable import PerfProfile

/// What programs ask of the heap.
@Suite(.enabled(if: AgentUnderTest.hasHeap, "this sanitizer has a heap of its own"))
struct HeapTests {
  private static let counting = configuration(
    interval: CaptureConfiguration.defaultAllocationInterval)

  private static func configuration(interval: UInt64) -> CaptureConfiguration {
    var configuration = CaptureConfiguration.tests
    configuration.allocationInterval = interval
    return configuration
  }

  /// A library that brings an allocator of its own.
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

  /// With samples, and without them.
  @Test(arguments: [false, true], [CaptureConfiguration.defaultAllocationInterval, 0])
  func `every call that gives memory is counted, with what it asked for`(
    isOfAnotherAllocator: Bool, interval: UInt64
  ) throws {
    let (status, capture) = try AgentUnderTest.runDrained(
      "heap", Self.configuration(interval: interval),
      with: isOfAnotherAllocator ? Self.allocator.get() : nil)
    // The other allocator would not survive memory that is not its own.
    #expect(status == 0)
    func said(_ name: String) -> [Double?] {
      ["count", "bytes"].map { part in
        capture.events.last { $0.name == "\(name).\(part)" }?.value
      }
    }
    #expect(said("malloc") == [1000, 100_000])
    #expect(said("calloc") == [1, 200])
    // 10 and 5,000; the one that failed gave nothing.
    #expect(said("realloc") == [2, 5010])
    // 640, 4,096, 96, 8 and 16, as they were asked for.
    #expect(said("aligned") == [5, 4856])
    // Ten letters and a zero, by a function of the C library.
    #expect(said("strdup") == [1, 11])
    #expect(said("failed") == [0, 0])
    #expect(said("thread") == [1000, 10_000])
    let totals = try #require(capture.allocations)
    #expect(totals.count > 3009 && totals.count < 3200)
  }

  @Test func `without being asked the agent counts nothing`() throws {
    let (status, capture) = try AgentUnderTest.runDrained("heap")
    #expect(status == 0)
    #expect(capture.allocations == nil)
    #expect(capture.events.allSatisfy { $0.value == 0 })
  }

  @Test func `recorded allocations stand for all, for what lives at the peak and at the end`()
    throws
  {
    let (status, capture) = try AgentUnderTest.runDrained("heap-lives", Self.counting)
    #expect(status == 0)
    #expect(capture.audit.allocationsDropped == 0)
    #expect(capture.audit.allocationsUntracked == 0)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0...UInt64.max)
    let profile = builder.finish()
    let bytes = Self.mebibytes(profile)
    // Of n blocks of 1 MiB each is recorded with probability 1 - exp(-2) = 0.865, so the estimates
    // of 128, 64 and 16 MiB have standard errors of 3.5, 5 and 10 %; four of them are allowed.
    #expect(abs((bytes[.allocated] ?? 0) - 128) < 18)
    #expect(abs((bytes[.livePeak] ?? 0) - 64) < 13)
    #expect(abs((bytes[.liveEnd] ?? 0) - 16) < 6.4)
    // The innermost function is the one that called malloc, not one of the agent's.
    let counts = profile.counts.filter { $0.state == .allocated }
    let leaves = Set(counts.map { profile.functions[profile.nodes[$0.node].function].name })
    #expect(leaves == ["allocate_big"])
    // Nobody's CPU time.
    #expect(
      profile.audit.samples
        == profile.counts.reduce(0) {
          $0 + ($1.state.dimension == .time ? $1.samples : 0)
        })
  }

  @Test func `what is recorded is scaled to what was counted`() throws {
    let (_, capture) = try AgentUnderTest.runDrained("heap-lives", Self.counting)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0...UInt64.max, allocatedBytes: 1000)
    let allocated = builder.finish().counts.filter { $0.state == .allocated }
    #expect(abs(allocated.reduce(0) { $0 + $1.weight } - 1000) < 1e-6)
  }

  @Test func `a program that becomes another one leaves no memory behind`() throws {
    let (status, capture) = try AgentUnderTest.runDrained("heap-replaced", Self.counting)
    #expect(status == 0)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0...UInt64.max)
    let bytes = Self.mebibytes(builder.finish())
    // The standard errors of 32 + 128, 64 and 16 MiB are 3.1, 5 and 10 %; four of them are allowed.
    #expect(abs((bytes[.allocated] ?? 0) - 160) < 20)
    #expect(abs((bytes[.livePeak] ?? 0) - 64) < 13)
    #expect(abs((bytes[.liveEnd] ?? 0) - 16) < 6.4)
  }

  @Test func `what children allocate is not the program's, nor is what the agent needs`() throws {
    let (status, capture) = try AgentUnderTest.runDrained("heap-children", Self.counting)
    #expect(status == 0)
    #expect(capture.allocations?.count == 0)
    // Nor is what they say.
    #expect(capture.events.isEmpty)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0...UInt64.max)
    #expect(builder.finish().counts.allSatisfy { $0.state.dimension == .time })
  }

  @Test func `threads that come and go are counted, whoever frees what they leave`() throws {
    // Room for hundreds of short-lived threads, whose rings are drained now and then.
    var configuration = Self.counting
    configuration.sampleCapacity = 64 << 10
    configuration.markCapacity = 4 << 10
    let (status, capture) = try AgentUnderTest.runDrained("heap-threads", configuration)
    #expect(status == 0)
    let totals = try #require(capture.allocations)
    // 400 threads of 100 pieces; for its stack a thread takes one more at most.
    #expect((40_000...40_800).contains(totals.count))
    #expect((40_000 * 8192...(40_000 * 8192 + 800 * 4096)).contains(totals.bytes))
    #expect(capture.audit.allocationsDropped == 0)
    #expect(capture.audit.allocationsUntracked == 0)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0...UInt64.max)
    let bytes = Self.mebibytes(builder.finish())
    // About 625 samples of 312.5 MiB: a standard error of 4 %.
    #expect(abs((bytes[.allocated] ?? 0) - 312.5) < 50)
    #expect((bytes[.livePeak] ?? 0) < 5)
    #expect(bytes[.liveEnd] == nil)
  }

  @Test func `samples beside allocations keep their own callers`() throws {
    let (status, capture) = try AgentUnderTest.runDrained("heap-beside", Self.counting)
    #expect(status == 0)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0...UInt64.max)
    let profile = builder.finish()
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
