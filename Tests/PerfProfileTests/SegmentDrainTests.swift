import CPerfFormat
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfProfile

@Suite struct SegmentDrainTests {
  private let segment: CaptureSegment
  private let writer: SegmentWriter
  private let drain: SegmentDrain

  init() throws {
    segment = try CaptureSegment(
      CaptureConfiguration(
        segmentBytes: 256 << 10, namesBytes: 4096, sampleCapacity: 16 << 10, markCapacity: 4096,
        stackBytes: 4096))
    writer = SegmentWriter(segment: segment)
    drain = SegmentDrain(segment)
  }

  @Test func `the header contains the agent's layout`() throws {
    let head = UnsafeRawPointer(segment.ring(0)) - segment.layout.ringsOffset
    let header = head.load(as: perfkit_segment.self)
    #expect(header.magic == perfkit_format_magic)
    #expect(header.version == PERFKIT_FORMAT_VERSION)
    #expect(header.segment_bytes == 256 << 10)
    #expect(header.names_offset % 4096 == 0)
    // A page, 16 KiB and 4 KiB.
    #expect(header.ring_bytes == 4096 + 16384 + 4096)
    let end = header.rings_offset + header.ring_bytes * UInt64(header.ring_count)
    #expect(end <= header.segment_bytes)
    #expect(header.ring_count == 10)
    #expect(header.signal == 27)
  }

  @Test func `a warning reports lists of modules that exceed the limit`() {
    let drain = SegmentDrain(segment)
    let t0 = monotonicNanoseconds()
    let kept: UInt64 = 65_536
    for index in 0..<(kept + 10) {
      var module = perfkit_module()
      module.record = SegmentWriter.head(
        PERFKIT_RECORD_MODULE, flags: PERFKIT_MODULE_FIRST, time: t0 + 2 * index + 1)
      module.before_ns = t0 + 2 * index
      module.adds = index
      module.low = 4096
      module.high = 8192
      writer.append(writer.bytes(module), ring: 0)
      if index % 16 == 0 { drain.drain() }
    }
    let capture = drain.finish()
    #expect(capture.moduleLists.count == Int(kept))
    #expect(capture.moduleLists.last?.time == t0 + 2 * (kept + 9) + 1)
    #expect(capture.moduleLists.last?.adds == kept + 9)
    // From the last kept list on.
    #expect(capture.moduleLists.last?.before == t0 + 2 * (kept - 1))
    #expect(capture.warnings.map(\.code) == ["sampler.modules"])
  }

  @Test func `marks become values`() throws {
    var used = 0
    let fling = writer.name("fling.down", at: &used)
    let decode = writer.name("decode", at: &used)
    writer.claim(1, serial: 7)
    let t0 = monotonicNanoseconds()
    var begin = perfkit_interval()
    begin.record = SegmentWriter.head(
      PERFKIT_RECORD_INTERVAL, flags: PERFKIT_INTERVAL_PACED, time: t0)
    begin.name = fling
    begin.refresh_mhz = 120_000
    var frame = perfkit_frame()
    frame.record = SegmentWriter.head(PERFKIT_RECORD_FRAME, time: t0 + 4000)
    frame.index = 0
    frame.woken_ns = t0 + 900
    frame.began_ns = t0 + 1000
    frame.cpu_ns = 2500
    var span = perfkit_span()
    span.record = SegmentWriter.head(PERFKIT_RECORD_PHASE, time: t0 + 3000)
    span.name = decode
    span.frame = 1
    span.began_ns = t0 + 2000
    var value = perfkit_value()
    value.record = SegmentWriter.head(PERFKIT_RECORD_COUNTER, time: t0 + 3500)
    value.name = decode
    value.value = 0.5
    for record in [writer.bytes(begin), writer.bytes(frame), writer.bytes(span)] {
      writer.append(record, ring: 1)
    }
    writer.append(writer.bytes(value), ring: 1)

    let capture = drain.finish()
    #expect(capture.garbage == 0)
    let interval = try #require(capture.intervals.first)
    #expect(interval.name == "fling.down")
    #expect(interval.grid == FrameGrid(start: t0, milliHertz: 120_000))
    #expect(interval.isPaced)
    let expected = FrameMarks.Frame(
      index: 0, woken: t0 + 900, began: t0 + 1000, ended: t0 + 4000, cpu: 2500)
    #expect(interval.frames == [expected])
    let phase = Capture.Span(
      name: "decode", thread: 7, frame: 0, began: t0 + 2000, ended: t0 + 3000)
    #expect(capture.phases == [phase])
    #expect(
      capture.counters == [
        Capture.Value(name: "decode", thread: 7, time: t0 + 3500, value: 0.5)
      ])
  }

  @Test func `dropped waits are counted beside dropped samples and allocations`() {
    // Threads lost 10 allocations and 2 samples, which the agent counted too, besides 5 samples
    // that reached no ring; the ticker lost 4 waits.
    writer.count(dropped: 12, ring: 1)
    writer.count(dropped: 4, ring: 0)
    writer.audit(samplesDropped: 7, allocationsDropped: 10)
    let capture = drain.finish()
    #expect(capture.samplesDropped == 7 + 4)
    #expect(capture.audit.allocations_dropped == 10)
  }

  /// A process's threads: its first one, another one, a later one that has the other's id, and the first
  /// one of a program that took the process over.
  @Test func `threads without a recorded end have ended when others take their places`() {
    let t0 = monotonicNanoseconds()
    writer.attach(process: 40)
    for (serial, tid, started) in [(1, 40, 0), (2, 41, 1), (3, 41, 5), (4, 40, 9)] {
      var thread = perfkit_thread()
      thread.record = SegmentWriter.head(PERFKIT_RECORD_THREAD_START, time: t0 + UInt64(started))
      thread.serial = UInt32(serial)
      thread.tid = UInt32(tid)
      writer.append(writer.bytes(thread), ring: 0)
    }
    let ends = drain.finish().threads.map(\.ended)
    #expect(ends == [t0 + 9, t0 + 5, t0 + 9, nil])
  }

  @Test func `a ring wraps around and reuses its room`() throws {
    writer.claim(1, serial: 1)
    // 3,000 bytes of stack and about 240 bytes of head: five records fill 16 KiB, 40 records wrap
    // around 8 times.
    for round in 0..<40 {
      writer.append(
        writer.sample(serial: 1, stack: Array(repeating: UInt64(round), count: 375)), ring: 1)
      drain.drain()
      let area = writer.area(1, isSample: true)
      #expect(area.load(as: UInt64.self) == area.load(fromByteOffset: 8, as: UInt64.self))
    }
    let capture = drain.finish()
    #expect(capture.sampleCount == 40)
    #expect(capture.garbage == 0)
  }

  @Test func `stacks are restored from their differences`() throws {
    var generator = SampleRandom(seed: 4)
    writer.claim(1, serial: 1)
    var stacks: [[UInt64]] = []
    var stack: [UInt64] = (0..<300).map { _ in generator.next() }
    for _ in 0..<60 {
      // Like calls and returns: some words at the low end go and others come.
      stack.removeFirst(generator.below(60))
      stack.insert(
        contentsOf: (0..<generator.below(60)).map { _ in generator.next() },
        at: 0)
      if generator.below(4) == 0, !stack.isEmpty { stack[stack.count / 2] ^= 1 }
      stacks.append(stack)
      writer.append(writer.sample(serial: 1, stack: stack), ring: 1)
      drain.drain()
    }
    let spool = try #require(drain.finish().spool)
    var window = StackWindow(capacity: 4096)
    var restored: [[UInt64]] = []
    try spool.forEach { (entry, bytes) throws(PerfProfileError) in
      let head = bytes.loadUnaligned(as: perfkit_sample.self)
      let kept = UnsafeRawBufferPointer(rebasing: bytes[MemoryLayout<perfkit_sample>.size...])
      _ = window.take(
        low: kept, shared: Int(entry.shared), at: head.stack_address, serial: head.serial)
      restored.append(Array(window.stack.bindMemory(to: UInt64.self)))
    }
    #expect(restored == stacks)
    #expect(spool.totalBytes < stacks.reduce(0) { $0 + $1.count * 8 })
  }

  @Test func `the empty ring of an ended thread returns to the pool`() {
    writer.claim(2, serial: 5)
    writer.append(writer.sample(serial: 5, stack: [1, 2]), ring: 2)
    writer.close(2)
    drain.drain()
    #expect(perfkit_ring_state(segment.ring(2)) == PERFKIT_RING_FREE.rawValue)
    #expect(drain.finish().sampleCount == 1)
  }

  @Test func `contradictory records are counted and skipped`() {
    writer.claim(1, serial: 1)
    writer.append(writer.sample(serial: 1, stack: [1]) { $0.stack_bytes = 4000 }, ring: 1)
    writer.append(writer.sample(serial: 1, stack: [1]) { $0.async_count = 33 }, ring: 1)
    writer.append(writer.sample(serial: 1, stack: [1]) { $0.stack_address = .max }, ring: 1)
    writer.append(writer.sample(serial: 1, stack: [1]), ring: 1)
    var frame = perfkit_frame()
    frame.record = SegmentWriter.head(PERFKIT_RECORD_FRAME)
    frame.began_ns = frame.record.time_ns + 1
    writer.append(writer.bytes(frame), ring: 1)
    var value = perfkit_value()
    value.record = SegmentWriter.head(PERFKIT_RECORD_EVENT)
    value.value = .nan
    writer.append(writer.bytes(value), ring: 1)
    // An event with an unknown name.
    value.value = 1
    value.name = 900
    writer.append(writer.bytes(value), ring: 1)
    let capture = drain.finish()
    #expect(capture.garbage == 6)
    #expect(capture.sampleCount == 1)
    #expect(capture.events.isEmpty)
  }

  @Test(arguments: [UInt32(0), 8, 15, 17, 0xffff_fff8])
  func `a record of an impossible length ends the reading of its ring only`(length: UInt32) {
    for ring in [1, 2] {
      writer.claim(ring, serial: UInt32(ring))
      writer.append(writer.sample(serial: UInt32(ring), stack: [1]), ring: ring)
    }
    UnsafeMutableRawPointer(mutating: segment.samples(ofRing: 1))
      .storeBytes(of: length, as: UInt32.self)
    let capture = drain.finish()
    #expect(capture.garbage == 1)
    #expect(capture.sampleCount == 1)
  }

  @Test func `a reset segment contains nothing of the previous process`() {
    writer.claim(1, serial: 1)
    writer.append(writer.sample(serial: 1, stack: [1]), ring: 1)
    segment.setSampling(true)
    segment.reset(seed: 9)
    let capture = SegmentDrain(segment).finish()
    #expect(capture.sampleCount == 0)
    #expect(capture.garbage == 0)
    #expect(capture.agentVersion == 0)
  }

  @Test func `impossible configurations are refused with a reason`() {
    for change: (inout CaptureConfiguration) -> Void in [
      { $0.segmentBytes = 1 << 20 }, { $0.sampleCapacity = 100_000 }, { $0.markCapacity = 512 },
      { $0.stackBytes = 65544 }, { $0.stackBytes = 12 }, { $0.namesBytes = 0 },
      { $0.sampleCapacity = 16 << 10 },
    ] {
      var configuration = CaptureConfiguration()
      change(&configuration)
      #expect(throws: PerfProfileError.self) { _ = try CaptureSegment(configuration) }
    }
  }

  @Test func `the cold start segment is small and has room for two dozen threads`() throws {
    let layout = try CaptureLayout(.coldStart())
    #expect(layout.totalBytes == 8 << 20)
    #expect(layout.ringCount > 24)
    #expect(try CaptureLayout(CaptureConfiguration()).ringCount > 50)
  }
}
