import CPerfFormat
import CUnwind
import PerfModel
import Testing

@testable import PerfProfile

@Suite struct SplicingTests {
  private func capture(_ times: Int, sampleCapacity: Int = 1 << 20) throws -> Capture {
    let segment = try CaptureSegment(.small(sampleCapacity: sampleCapacity))
    let (status, capture) = try TestProgram.stacks().run(["repeat", "\(times)"], in: segment)
    try #require(status == 0)
    try #require(capture.sampleCount == times)
    return capture
  }

  /// Returns the instruction pointers of all stacks and the number of reused frames.
  private func walk(_ capture: Capture, _ shortcuts: Unwinder.Shortcuts) throws -> (
    ips: [[UInt64]], spliced: Int
  ) {
    let unwinder = try Unwinder(capture, images: ModuleImages(), shortcuts: shortcuts)
    var ips: [[UInt64]] = []
    var spliced = 0
    try capture.spool?.forEach { (entry, bytes) throws(PerfProfileError) in
      let head = bytes.loadUnaligned(as: perfkit_sample.self)
      let kept = UnsafeRawBufferPointer(rebasing: bytes[MemoryLayout<perfkit_sample>.size...])
      guard let stack = try unwinder.walk(entry, head, kept: kept) else { return }
      ips.append(stack.frames.map(\.ip))
      spliced += stack.spliced
    }
    return (ips, spliced)
  }

  @Test func `spliced stacks equal completely walked stacks`() throws {
    let capture = try capture(100)
    let whole = try walk(capture, .rows)
    let spliced = try walk(capture, [.reuse, .rows])
    #expect(whole.ips.count == 100)
    #expect(whole.ips == spliced.ips)
    #expect(whole.spliced == 0)
    // 26 frames of `beneath`, `main` and 3 frames of the C library are reused in all samples but
    // the first.
    #expect(spliced.spliced >= 99 * (26 + 1 + 3))
  }

  /// Returns the distances from the stack pointers of all samples to the ends of their outermost frames.
  private func spans(_ capture: Capture) throws -> [Int] {
    let unwinder = try Unwinder(capture, images: ModuleImages())
    var spans: [Int] = []
    try capture.spool?.forEach { (entry, bytes) throws(PerfProfileError) in
      let head = bytes.loadUnaligned(as: perfkit_sample.self)
      let kept = UnsafeRawBufferPointer(rebasing: bytes[MemoryLayout<perfkit_sample>.size...])
      guard let last = try unwinder.walk(entry, head, kept: kept)?.frames.last else { return }
      spans.append(Int(last.sp - head.stack_address))
    }
    return spans
  }

  @Test func `a stack that is larger than its copy takes callers from the stack before it`() throws
  {
    // `repeat` calls descend(0) to descend(6) in turn; the copies have room for descend(3).
    let room = try spans(capture(7))[3]
    let segment = try CaptureSegment(.small(stackBytes: room))
    let (_, cut) = try TestProgram.stacks().run(["repeat", "70"], in: segment)
    let spans = try spans(cut)
    #expect(spans.count == 70)
    // Three of seven depths.
    #expect(spans.count { $0 > room } == 30)
    #expect(try stacks(cut) == stacks(capture(70)))
  }

  @Test func `samples store only the difference from the previous sample`() throws {
    let capture = try capture(100)
    let spool = try #require(capture.spool)
    // A sample's stack has about 2 KiB here, of which little but the head must be stored each time.
    let head = MemoryLayout<perfkit_sample>.size + MemoryLayout<SpoolEntry>.size
    #expect(spool.totalBytes < 100 * (head + 800))
  }

  @Test func `the tree of a run does not depend on whether samples went through a file`() throws {
    // 2,500 samples exceed the megabyte that is collected before the file is written.
    let segment = try CaptureSegment(.small(sampleCapacity: 1 << 25))
    var names: [[[String]]] = []
    for memory in [64 << 20, 0] {
      let (status, capture) = try TestProgram.stacks().run(
        ["repeat", "2500"], in: segment, spoolMemory: memory)
      #expect(status == 0)
      #expect(capture.sampleCount == 2500)
      let builder = ProfileBuilder(tools: ToolPaths(symbolizer: nil, demangler: nil))
      try builder.add(capture, launch: 0, measured: 0 ... .max)
      names.append(Set(builder.finish().stacks()).sorted { $0.count < $1.count })
    }
    // `descend(i % 7)` has seven different depths.
    #expect(names[0].count == 7)
    #expect(names[0] == names[1])
  }

  @Test func `a spool without a usable folder loses samples with a warning`() throws {
    let segment = try CaptureSegment(.small(sampleCapacity: 1 << 25))
    let drain = SegmentDrain(
      segment, storage: SampleStorage(folder: "/dev/null/none", memory: 0))
    let status = try TestProgram.stacks().start(["repeat", "2500"], in: segment)
    let capture = drain.finish()
    #expect(status == 0)
    #expect(capture.sampleCount > 0)
    #expect(capture.sampleCount + capture.samplesDropped == 2500)
    #expect(capture.warnings.map(\.code) == ["sampler.spool"])
  }

  /// Runs a program whose samples exceed a megabyte, and keeps them in a storage.
  private func capture(in segment: CaptureSegment, _ storage: SampleStorage) throws -> Capture {
    segment.reset()
    let drain = SegmentDrain(segment, storage: storage)
    try #require(try TestProgram.stacks().start(["repeat", "2500"], in: segment) == 0)
    return drain.finish()
  }

  @Test func `processes share the memory of a storage and return it`() throws {
    let segment = try CaptureSegment(.small(sampleCapacity: 1 << 25))
    // The first process leaves less than a megabyte, and no file can be created.
    let storage = SampleStorage(folder: "/dev/null/none", memory: 2 << 20)
    var captures = try (0..<2).map { _ in try capture(in: segment, storage) }
    #expect(captures[0].sampleCount == 2500)
    #expect(captures[0].warnings.isEmpty)
    #expect(captures[1].sampleCount < 2500)
    #expect(captures[1].warnings.map(\.code) == ["sampler.spool"])
    captures = []
    #expect(try capture(in: segment, storage).sampleCount == 2500)
  }

  /// Returns the different stacks of a capture as names, innermost first.
  private func stacks(_ capture: Capture) throws -> Set<[String]> {
    let builder = ProfileBuilder(tools: ToolPaths(symbolizer: nil, demangler: nil))
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    return Set(builder.finish().stacks())
  }

  @Test func `the samples of processes that share a file stay separate`() throws {
    let segment = try CaptureSegment(.small(sampleCapacity: 1 << 25))
    let storage = SampleStorage(memory: 0)
    let captures = try (0..<3).map { _ in try capture(in: segment, storage) }
    let alone = try capture(2500, sampleCapacity: 1 << 25)
    let stacks = try (captures + [alone]).map(stacks)
    // `descend(i % 7)` has seven different depths.
    #expect(stacks.allSatisfy { $0 == stacks[3] && $0.count == 7 })
  }

  @Test func `a waiting thread is walked as far as its stack pointer leads`() throws {
    // `descend` finds its callers by the stack pointer alone, so it needs no other register.
    #expect(try end(of: TestProgram.stacks(), ["descend", "3"]) == .complete)
  }

  #if arch(x86_64)
  @Test func `frame pointers of a waiting thread are found by prologues and by calls`() throws {
    let framed = try TestProgram.build(
      "framed", ["stacks.c", "capture.c"], flags: ["-fno-omit-frame-pointer", "-lpthread"])
    // Here the canonical frame address depends on the frame pointer, which is unknown.
    #expect(try end(of: framed, ["descend", "3"]) == .complete)
    #expect(try end(of: framed, ["narrow", "3"]) == .complete)
    // The prologue does not determine the size of this frame, but the call of the function does.
    #expect(try end(of: framed, ["spread", "600"]) == .complete)
    // A call through a pointer names no function: the walk ends instead of finding a wrong caller.
    #expect(try end(of: framed, ["spread_pointer", "600"]) == .partial)
  }
  #endif

  /// Returns how the walk of a sample ends if only its stack pointer and program counter are known,
  /// and checks that its frames equal those of the walk with all registers.
  private func end(of program: TestProgram, _ words: [String]) throws -> StackEnd? {
    let segment = try CaptureSegment(.small())
    let (_, capture) = try program.run(words, in: segment)
    var walks: [(ips: [UInt64], end: StackEnd)] = []
    for flags in [0, PERFKIT_SAMPLE_PARTIAL.rawValue] {
      let unwinder = try Unwinder(capture, images: ModuleImages())
      try capture.spool?.forEach { (entry, bytes) throws(PerfProfileError) in
        var head = bytes.loadUnaligned(as: perfkit_sample.self)
        head.record.flags |= UInt16(flags)
        let kept = UnsafeRawBufferPointer(rebasing: bytes[MemoryLayout<perfkit_sample>.size...])
        guard let stack = try unwinder.walk(entry, head, kept: kept) else { return }
        walks.append((stack.frames.map(\.ip), stack.end))
      }
    }
    try #require(walks.count == 2)
    #expect(walks[0].end == .complete)
    #expect(walks[0].ips.starts(with: walks[1].ips))
    #expect((walks[1].end == .complete) == (walks[0].ips.count == walks[1].ips.count))
    return walks[1].end
  }
}
