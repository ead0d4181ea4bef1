import CPerfFormat
import Glibc
import PerfModel
import Testing

@testable import PerfProfile

/// Counters of a segment that its process has overwritten.
@Suite struct SegmentCountersTests {
  private let segment: CaptureSegment
  private let writer: SegmentWriter
  private let drain: SegmentDrain

  init() throws {
    segment = try CaptureSegment(
      CaptureConfiguration(
        segmentBytes: 256 << 10, namesBytes: 4096, sampleCapacity: 16 << 10, markCapacity: 4096,
        stackBytes: 4096, allocationInterval: 0))
    writer = SegmentWriter(segment: segment)
    drain = SegmentDrain(segment)
  }

  /// Checks that all counters are left out with a warning, in the capture and in its profile.
  private func expectOverwritten() throws {
    let capture = drain.finish()
    #expect(capture.isOverwritten)
    #expect(capture.warnings.map(\.code) == ["sampler.overwritten"])
    #expect(capture.samplesDropped == 0 && capture.marksDropped == 0)
    #expect(capture.tickerCPU == 0 && capture.allocations == nil)
    let builder = ProfileBuilder(tools: ToolPaths(symbolizer: nil, demangler: nil))
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    let audit = builder.finish().audit
    #expect(audit.warnings.map(\.code).contains("sampler.overwritten"))
    #expect(audit.dropped == 0 && audit.ticks == 0 && audit.tickerCPU == 0)
    #expect(!audit.warnings.contains { $0.message.contains { $0.isNumber } }, "\(audit.warnings)")
  }

  /// Each counter of `struct perfkit_audit`, which has 20.
  @Test(arguments: 0..<20, [UInt64(1) << 63, .max])
  func `an impossible counter of the agent leaves all counters out`(
    word: Int, value: UInt64
  ) throws {
    writer.audit(word: 0, 1)
    writer.audit(word: word, value)
    try expectOverwritten()
  }

  @Test(arguments: [true, false], [0, 1])
  func `an impossible number of dropped records of a ring leaves all counters out`(
    isSample: Bool, ring: Int
  ) throws {
    for used in 1...2 { writer.claim(used, serial: UInt32(used)) }
    writer.count(dropped: 1 << 63, ring: ring, isSample: isSample)
    // The sum of two rings would wrap around to 0.
    if ring > 0 { writer.count(dropped: 1 << 63, ring: ring + 1, isSample: isSample) }
    try expectOverwritten()
  }

  @Test(arguments: [(UInt64(1) << 63, UInt64(8)), (.max, .max), (100, .max)])
  func `impossible numbers of allocations leave all counters out`(
    count: UInt64, bytes: UInt64
  ) throws {
    writer.allocations(count: count, bytes: bytes)
    writer.allocations(count: 1, bytes: 1, slot: 7)
    try expectOverwritten()
  }

  @Test func `one allocation may be as large as the address space`() throws {
    writer.allocations(count: 1, bytes: 1 << 47)
    let capture = drain.finish()
    #expect(!capture.isOverwritten)
    #expect(capture.allocations?.bytes == 1 << 47)
  }

  @Test func `the bounds follow from the time, the rate and the most threads`() {
    var counters = SegmentCounters()
    func isPossible(seconds: UInt64 = 10, interval: UInt64 = 1_000_000) -> Bool {
      counters.arePossible(from: 5, to: 5 + seconds * 1_000_000_000, interval: interval)
    }
    // 10,000 intervals, a program per millisecond, and 1,000 more.
    counters.audit.ticks = 21_000
    #expect(isPossible())
    counters.audit.ticks_missed = 1
    #expect(!isPossible())
    #expect(isPossible(seconds: 11))
    #expect(isPossible(interval: 100_000))
    #expect(!isPossible(interval: 0))
    // A sample of each of 1,025 threads at each of 10,000 ticks and at one more that is not counted yet.
    counters.audit = AgentAudit()
    counters.audit.ticks = 10_000
    counters.audit.samples_dropped = 10_001 * 1025
    counters.samplesDropped = 10_001 * 1025
    counters.waitsDropped = 10_001 * 1025
    #expect(isPossible())
    for change: (inout SegmentCounters) -> Void in [
      { $0.audit.samples_dropped += 1 }, { $0.samplesDropped += 1 }, { $0.waitsDropped += 1 },
    ] {
      let before = counters
      change(&counters)
      #expect(!isPossible())
      counters = before
    }
    // The times of sampling are within the life of the process.
    (counters.audit.sampling_began_ns, counters.audit.sampling_ended_ns) = (4, 0)
    #expect(!isPossible())
    (counters.audit.sampling_began_ns, counters.audit.sampling_ended_ns) = (100, 99)
    #expect(!isPossible())
    (counters.audit.sampling_began_ns, counters.audit.sampling_ended_ns) = (100, 10_000_000_006)
    #expect(!isPossible())
    counters.audit.sampling_ended_ns = 10_000_000_005
    #expect(isPossible())
  }

  @Test func `dropped marks are reported`() {
    writer.claim(1, serial: 1)
    writer.count(dropped: 1, ring: 1, isSample: false)
    let capture = drain.finish()
    #expect(capture.warnings.map(\.code) == ["sampler.marks"])
    #expect(
      capture.warnings.first?.message.hasPrefix("1 mark was dropped for lack of room") == true)
  }

  @Test func `the CPU clock of a thread moves no further than its process lives`() throws {
    var thread = perfkit_thread()
    thread.record = SegmentWriter.head(PERFKIT_RECORD_THREAD_START)
    thread.serial = 1
    writer.append(writer.bytes(thread), ring: 0)
    thread.record = SegmentWriter.head(PERFKIT_RECORD_THREAD_END)
    thread.cpu_ns = 1 << 63
    writer.append(writer.bytes(thread), ring: 0)
    let builder = ProfileBuilder(tools: ToolPaths(symbolizer: nil, demangler: nil))
    try builder.add(drain.finish(), launch: 0, measured: 0 ... .max)
    let profile = builder.finish()
    #expect(profile.threads.allSatisfy { $0.cpu == 0 })
    #expect(profile.audit.garbage == 1)
    #expect(profile.audit.warnings.map(\.code).contains("sampler.garbage"))
  }

  @Test func `an allocation beyond the address space is an invalid record`() {
    writer.claim(1, serial: 1)
    for bytes in [UInt64(1) << 47, 1 << 63] {
      writer.append(
        writer.sample(serial: 1, stack: [1]) { sample in
          sample.record.kind = UInt16(PERFKIT_RECORD_ALLOCATION.rawValue)
          sample.allocated_bytes = bytes
        }, ring: 1)
    }
    let capture = drain.finish()
    #expect(capture.sampleCount == 1)
    #expect(capture.garbage == 1)
  }

  @Test func `frames that begin before the previous one has ended are invalid`() {
    var used = 0
    var begin = perfkit_interval()
    let t0 = monotonicNanoseconds()
    begin.record = SegmentWriter.head(PERFKIT_RECORD_INTERVAL, time: t0)
    begin.name = writer.name("fling", at: &used)
    begin.refresh_mhz = 1_000_000
    writer.claim(1, serial: 1)
    writer.append(writer.bytes(begin), ring: 1)
    // All of them take the whole time since the start; together they would take the clock beyond its end.
    for index in UInt32(0)..<5 {
      var frame = perfkit_frame()
      frame.record = SegmentWriter.head(PERFKIT_RECORD_FRAME, time: t0 + 9_000_000_000)
      frame.index = index
      (frame.began_ns, frame.woken_ns) = (t0, t0)
      writer.append(writer.bytes(frame), ring: 1)
    }
    let capture = drain.finish()
    #expect(capture.intervals.first?.frames.count == 1)
    #expect(capture.garbage == 4)
  }
}
