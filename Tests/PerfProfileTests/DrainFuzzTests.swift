import CPerfFormat
import Glibc
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfProfile

/// The harness survives a broken program that writes anything anywhere into its segment.
@Suite struct DrainFuzzTests {
  private static let noTools = ToolPaths(symbolizer: nil, demangler: nil)

  private func makeSegment() throws -> CaptureSegment {
    try CaptureSegment(
      CaptureConfiguration(
        segmentBytes: 232 << 10, namesBytes: 4096, sampleCapacity: 16 << 10, markCapacity: 8 << 10,
        stackBytes: 4096, allocationInterval: 4096))
  }

  private func header(_ segment: CaptureSegment) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(segment.ring(0)) - segment.layout.ringsOffset
  }

  /// Drains, unwinds and builds, and checks that the counts of the result add up, where a sample stands for
  /// at most `ticks`.
  private func survive(_ drain: SegmentDrain, ticks: Int = 1) throws -> Capture {
    let capture = drain.finish()
    let builder = ProfileBuilder(tools: Self.noTools)
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    _ = FrameAnalysis(capture.intervals)
    let profile = builder.finish()
    // An allocation has up to three more counts: for its number and for live memory.
    let counts = profile.counts.filter { $0.state == .allocated || $0.state.subject != .memory }
    let count = counts.reduce(builder.crashes.stacks.count) { $0 + $1.samples }
    #expect(count >= capture.sampleCount && count <= ticks * capture.sampleCount)
    #expect(profile.counts.allSatisfy { $0.weight.isFinite && $0.weight >= 0 })
    #expect(profile.nodes.enumerated().allSatisfy { $1.parent < $0 })
    return capture
  }

  @Test(arguments: 0..<40)
  func `random bytes become invalid records and nothing else`(seed: Int) throws {
    var generator = SampleRandom(seed: UInt64(seed))
    let segment = try makeSegment()
    let drain = SegmentDrain(segment)
    let base = header(segment)
    for offset in stride(from: 0, to: segment.bytes, by: 8) {
      // Small numbers make lengths and states that look valid.
      let word = generator.next()
      let isSmall = generator.below(3) == 0
      base.storeBytes(of: isSmall ? word & 0x1ff8 : word, toByteOffset: offset, as: UInt64.self)
    }
    // Heads within reach make the drain read the bytes as records.
    for ring in 0..<segment.layout.ringCount {
      SegmentWriter(segment: segment).claim(ring, serial: UInt32(ring))
      for isSample in [true, false] {
        SegmentWriter(segment: segment).area(ring, isSample: isSample)
          .storeBytes(of: UInt64(generator.below(1024)) * 8, as: UInt64.self)
      }
    }
    drain.drain()
    #expect(try survive(drain).garbage > 0)
  }

  /// The written parts of a segment: its header, its names, and the beginnings of each ring's areas.
  private func parts(_ segment: CaptureSegment) -> [UnsafeMutableRawBufferPointer] {
    let layout = segment.layout
    let areas = (0..<3).flatMap { index in
      [
        (layout.offset(ofRing: index), 192), (layout.offset(ofSamples: index), 4096),
        (layout.offset(ofMarks: index), 4096),
      ]
    }
    return ([(0, MemoryLayout<perfkit_segment>.size), (layout.namesOffset, 64)] + areas).map {
      UnsafeMutableRawBufferPointer(start: header(segment) + $0, count: $1)
    }
  }

  @Test func `changed segments are read without a crash`() throws {
    let model = try makeSegment()
    var generator = SampleRandom(seed: 1000)
    write(to: SegmentWriter(segment: model), &generator)
    let valid = withExtendedLifetime(model) { parts(model).flatMap { Array($0) } }
    try Mutation.each(of: [valid], count: 60, seed: 1000) { input in
      let segment = try makeSegment()
      let drain = SegmentDrain(segment)
      var rest = input[...]
      for part in parts(segment) {
        part.copyBytes(from: rest.prefix(part.count))
        rest = rest.dropFirst(part.count)
      }
      drain.drain()
      // The number of further ticks has 16 bits; the time without a CPU counts once more.
      _ = try survive(drain, ticks: (1 << 16) + 1)
    }
  }

  private static let kinds = [
    PERFKIT_RECORD_PAD, PERFKIT_RECORD_SAMPLE, PERFKIT_RECORD_WAITING, PERFKIT_RECORD_ALLOCATION,
    PERFKIT_RECORD_FREE, PERFKIT_RECORD_THREAD_START, PERFKIT_RECORD_THREAD_END,
    PERFKIT_RECORD_MODULE,
    PERFKIT_RECORD_INTERVAL, PERFKIT_RECORD_INTERVAL_END, PERFKIT_RECORD_FRAME,
    PERFKIT_RECORD_PHASE,
    PERFKIT_RECORD_SIGNPOST, PERFKIT_RECORD_COUNTER, PERFKIT_RECORD_EVENT, PERFKIT_RECORD_CRASH,
  ]

  @Test(arguments: 0..<100)
  func `records of every kind with random contents are read or skipped`(seed: Int) throws {
    var generator = SampleRandom(seed: 2000 + UInt64(seed))
    let segment = try makeSegment()
    let drain = SegmentDrain(segment)
    let writer = SegmentWriter(segment: segment)
    write(to: writer, &generator)
    for _ in 0..<60 {
      let kind = Self.kinds[generator.below(Self.kinds.count)]
      let head = SegmentWriter.head(kind, flags: UInt32(generator.below(16)))
      // Records are often too short or too long, and some of their words look valid.
      let words = (0..<generator.below(48)).map { _ in
        let word = generator.next()
        return [word, word & 0x7, word & 0xff, word & 0x7_0000_0007, 0][generator.below(5)]
      }
      let tail = words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
      writer.append(writer.bytes(head, tail), ring: generator.below(3))
      if generator.below(8) == 0 { drain.drain() }
    }
    let allocations = header(segment) + segment.layout.allocationsOffset
    for slot in 0..<8 {
      allocations.storeBytes(
        of: generator.next(), toByteOffset: generator.below(1025) * 64 + slot, as: UInt64.self)
    }
    drain.drain()
    _ = try survive(drain)
  }

  @Test func `the unchanged segment is read completely`() throws {
    var generator = SampleRandom(seed: 1)
    let segment = try makeSegment()
    let drain = SegmentDrain(segment)
    write(to: SegmentWriter(segment: segment), &generator)
    let capture = try survive(drain)
    #expect(capture.garbage == 0)
    #expect(capture.sampleCount == 20)
    #expect(capture.threads.count == 2)
    #expect(capture.phases.count == 10)
    #expect(capture.intervals.first?.frames.count == 5)
  }

  /// Writes two threads with samples in this process's code, phases and frames.
  private func write(to writer: SegmentWriter, _ generator: inout SampleRandom) {
    var used = 0
    let name = writer.name("phase", at: &used)
    // A small program, because reading it takes most of the time of an input.
    let path = "/bin/sh"
    var module = perfkit_module()
    module.record = SegmentWriter.head(PERFKIT_RECORD_MODULE, flags: PERFKIT_MODULE_FIRST)
    module.low = 0x5555_0000_0000
    module.high = 0x5556_0000_0000
    module.bias = 0x5555_0000_0000
    module.path_bytes = UInt32(path.utf8.count)
    writer.append(writer.bytes(module, Array(path.utf8)), ring: 0)
    var begin = perfkit_interval()
    begin.record = SegmentWriter.head(PERFKIT_RECORD_INTERVAL)
    begin.name = name
    begin.refresh_mhz = 60_000
    for serial in UInt32(1)...2 {
      writer.claim(Int(serial), serial: serial)
      var thread = perfkit_thread()
      thread.record = SegmentWriter.head(PERFKIT_RECORD_THREAD_START)
      thread.serial = serial
      writer.append(writer.bytes(thread), ring: 0)
      if serial == 1 { writer.append(writer.bytes(begin), ring: 1) }
      for index in 0..<10 {
        let stack = (0..<30).map { _ in 0x5555_0000_0000 + UInt64(generator.below(1 << 20)) }
        writer.append(
          writer.sample(serial: serial, stack: stack) { sample in
            withUnsafeMutableBytes(of: &sample.registers) { registers in
              registers.storeBytes(
                of: 0x5555_0000_0000 + UInt64(generator.below(1 << 20)),
                toByteOffset: registers.count - 8, as: UInt64.self)
            }
            sample.phase = name
          }, ring: Int(serial))
        if index < 5 {
          var span = perfkit_span()
          span.record = SegmentWriter.head(PERFKIT_RECORD_PHASE)
          span.name = name
          span.began_ns = span.record.time_ns
          writer.append(writer.bytes(span), ring: Int(serial))
          var frame = perfkit_frame()
          frame.record = SegmentWriter.head(PERFKIT_RECORD_FRAME)
          frame.index = UInt32(index)
          frame.began_ns = frame.record.time_ns
          frame.woken_ns = frame.record.time_ns
          if serial == 1 { writer.append(writer.bytes(frame), ring: 1) }
        }
      }
    }
  }
}

extension SampleRandom {
  /// Returns a number from 0 to below a bound.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
