internal import CPerfFormat
internal import Glibc
internal import PerfModel

/// Reads the records of a segment while its process runs, and the rest after it has ended.
///
/// The program that writes the segment may be broken. So the drain checks every length, state and
/// offset against this process's layout, copies records before it reads them, and counts and skips
/// invalid ones.
///
/// It belongs to one thread: the harness calls `drain` every few milliseconds and `finish` after
/// the process has ended or crashed.
public final class SegmentDrain {
  private let segment: CaptureSegment
  /// A moment before the process began, in CLOCK_MONOTONIC nanoseconds.
  private let began: UInt64
  private let spool: SampleSpool
  private var marks: MarkReader
  private var rings: [RingState]
  private var markers: [Int: Int32] = [:]
  private let scratch: UnsafeMutableRawBufferPointer
  private var windows: StackWindows
  private var garbage = 0
  private var samplesLost = 0
  private var allocationEnds = AllocationEnds()

  /// The number of virtual rings for stacks of waiting threads, which are chosen by thread.
  ///
  /// All of these stacks come through ring 0, and each resembles its thread's last one.
  private static let waitingThreads = 32

  private struct RingState {
    var samplesTail: UInt64 = 0
    var marksTail: UInt64 = 0
    var samplesDropped: UInt64 = 0
    var marksDropped: UInt64 = 0
    var highWater: UInt64 = 0
  }

  /// Creates a drain of a segment that has just been reset.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - storage: The memory and the file for the samples; processes may share it.
  public init(_ segment: CaptureSegment, storage: SampleStorage = SampleStorage()) {
    self.segment = segment
    spool = SampleSpool(storage)
    windows = StackWindows(capacity: segment.configuration.stackBytes)
    let now = monotonicNanoseconds()
    began = now
    marks = MarkReader(earliest: now)
    rings = Array(repeating: RingState(), count: segment.layout.ringCount)
    scratch = .allocate(
      byteCount: max(segment.layout.markCapacity, segment.layout.sampleCapacity), alignment: 16)
  }

  deinit { scratch.deallocate() }

  /// Copies all complete records out of the segment and frees their room.
  ///
  /// - Complexity: O(*n*) in the waiting bytes.
  public func drain() {
    let now = monotonicNanoseconds()
    for index in rings.indices {
      let ring = segment.ring(index)
      // Read the state before the heads: everything that a closed ring's thread wrote is then
      // visible.
      let state = perfkit_ring_state(ring)
      if index > 0 && state == PERFKIT_RING_FREE.rawValue {
        // Threads claim the first free ring, so no ring after an unused spare one is in use.
        if index >= segment.layout.filledRings, perfkit_ring_serial(ring) == 0 { break }
        continue
      }
      drainMarks(index, ring, now: now)
      drainSamples(index, ring)
      if index > 0 && state == PERFKIT_RING_CLOSED.rawValue { perfkit_ring_release(ring) }
    }
  }

  /// Drains the rest and returns all data as a capture.
  ///
  /// The drain cannot be used afterwards.
  public func finish() -> Capture {
    drain()
    spool.seal()
    var capture = Capture()
    capture.spool = spool
    capture.names = CaptureNames(segment.names)
    capture.markers = markers
    capture.process = segment.agentProcess
    marks.finish(into: &capture)
    capture.longestLife = monotonicNanoseconds() - began
    addCounters(to: &capture)
    capture.generated = GeneratedCode(
      GeneratedCode.perfMap(
        of: capture.process, since: realSeconds(at: capture.audit.sampling_began_ns)))
    capture.agentVersion = segment.agentVersion
    capture.allocationInterval = segment.allocationInterval ?? 0
    capture.allocationEnds = allocationEnds
    capture.audit.allocations_untracked =
      capture.audit.allocations_untracked.addingClamped(UInt64(allocationEnds.lost))
    capture.interval = segment.configuration.interval
    capture.stackBytes = segment.configuration.stackBytes
    capture.ringCount = rings.count
    capture.signal = segment.configuration.signal
    capture.garbage = garbage + marks.garbage
    for ring in rings {
      let filled = Double(ring.highWater) / Double(segment.layout.sampleCapacity)
      capture.ringHighWater = max(capture.ringHighWater, min(1, filled))
    }
    if capture.marksDropped > 0 {
      capture.warnings.append(
        RunWarning(
          code: "sampler.marks",
          message: NumberFormat.grouped(capture.marksDropped)
            + (capture.marksDropped == 1 ? " mark was" : " marks were")
            + " dropped for lack of room: phases, frames, counters, events, threads or libraries",
          remedy: "Mark larger parts of the work. Frames and counters of the launch may be wrong."))
    }
    if marks.moduleListsLost > 0 {
      capture.warnings.append(
        RunWarning(
          code: "sampler.modules",
          message: "the last \(marks.moduleListsLost) changes of the loaded libraries were not "
            + "recorded, because there were too many",
          remedy: "Functions of libraries that were loaded late may be wrong or missing."))
    }
    if let failure = spool.failure {
      capture.warnings.append(
        RunWarning(
          code: "sampler.spool", message: "\(samplesLost) samples were lost: \(failure.message)",
          remedy: "Free disk space or set TMPDIR to another folder."))
    }
    return capture
  }

  /// Adds the counters of the segment, unless the process overwrote them.
  private func addCounters(to capture: inout Capture) {
    capture.samplesDropped = samplesLost
    capture.marksDropped = marks.dropped
    let counters = SegmentCounters(
      audit: segment.audit, allocations: segment.allocations,
      samplesDropped: rings.dropFirst().reduce(0) { $0.addingClamped($1.samplesDropped) },
      // Only the ticker's ring counts dropped waits.
      waitsDropped: rings.first?.samplesDropped ?? 0,
      marksDropped: rings.reduce(0) { $0.addingClamped($1.marksDropped) })
    guard
      counters.arePossible(
        from: began, to: monotonicNanoseconds(), interval: segment.configuration.interval)
    else {
      capture.isOverwritten = true
      capture.warnings.append(SegmentCounters.overwritten)
      return
    }
    capture.audit = counters.audit
    capture.allocations = counters.allocations
    capture.marksDropped = marks.dropped.addingClamped(counters.marksDropped)
    // The ring counts every dropped record, and the agent also counts the handlers' records. Records of the
    // heap have a separate counter.
    let heap = min(counters.samplesDropped, counters.audit.allocations_dropped)
    let dropped = max(counters.samplesDropped - heap, counters.audit.samples_dropped)
    capture.samplesDropped = samplesLost.addingClamped(
      dropped.addingClamped(counters.waitsDropped))
  }

  // MARK: - Areas

  private func drainMarks(
    _ index: Int, _ ring: UnsafeMutablePointer<perfkit_ring>, now: UInt64
  ) {
    guard let area = ring.pointer(to: \.marks) else { return }
    let head = perfkit_area_head(area)
    // Read the serial after the head. A ring gets a new thread only when it is empty, so everything
    // before the head belongs to the thread that had the ring when the head was read. A serial read
    // before the head could be the previous owner's.
    let serial = index == 0 ? 0 : perfkit_ring_serial(ring)
    // A broken program may write any serial.
    if index > 0, head != rings[index].marksTail, markers.count < MarkReader.mostMarks {
      markers[Int(serial)] = Int32(bitPattern: perfkit_ring_tid(ring))
    }
    walk(
      area, to: head, at: segment.marks(ofRing: index), capacity: segment.layout.markCapacity,
      tail: &rings[index].marksTail
    ) { record in
      marks.read(record, serial: serial, now: now)
    }
    rings[index].marksDropped = perfkit_area_dropped(area)
  }

  private func drainSamples(_ index: Int, _ ring: UnsafeMutablePointer<perfkit_ring>) {
    guard let area = ring.pointer(to: \.samples) else { return }
    walk(
      area, to: perfkit_area_head(area), at: segment.samples(ofRing: index),
      capacity: segment.layout.sampleCapacity,
      tail: &rings[index].samplesTail
    ) { record in
      takeSample(record, ring: index)
    }
    rings[index].samplesDropped = perfkit_area_dropped(area)
    rings[index].highWater = max(rings[index].highWater, perfkit_area_high_water(area))
  }

  /// Copies each record before `head`, passes the copy to `body`, and then sets the area's tail
  /// to `head`.
  private func walk(
    _ area: UnsafeMutablePointer<perfkit_area>, to head: UInt64, at base: UnsafeRawPointer,
    capacity: Int, tail: inout UInt64, body: (UnsafeRawBufferPointer) -> Void
  ) {
    guard head != tail else { return }
    let mask = UInt64(capacity - 1)
    if head &- tail > UInt64(capacity) || head % 8 != 0 {
      garbage += 1
      tail = head & ~7
    }
    while tail != head & ~7 {
      let offset = Int(tail & mask)
      let left = min(capacity - offset, Int(head &- tail))
      let kind = (base + offset).loadUnaligned(fromByteOffset: 4, as: UInt16.self)
      let bytes = Int((base + offset).loadUnaligned(as: UInt32.self))
      if kind == UInt16(PERFKIT_RECORD_PAD.rawValue), left == capacity - offset {
        tail &+= UInt64(left)
        continue
      }
      guard bytes >= MemoryLayout<perfkit_record>.size, bytes % 8 == 0, bytes <= left else {
        // The start of the next record is unknown from here on.
        garbage += 1
        tail = head & ~7
        break
      }
      scratch.copyMemory(from: UnsafeRawBufferPointer(start: base + offset, count: bytes))
      body(UnsafeRawBufferPointer(rebasing: scratch[..<bytes]))
      tail &+= UInt64(bytes)
    }
    perfkit_area_set_tail(area, tail)
  }

  // MARK: - Samples

  private static let kindsWithStack = [
    PERFKIT_RECORD_SAMPLE.rawValue, PERFKIT_RECORD_WAITING.rawValue,
    PERFKIT_RECORD_ALLOCATION.rawValue, PERFKIT_RECORD_CRASH.rawValue,
  ]

  private func takeSample(_ record: UnsafeRawBufferPointer, ring: Int) {
    let kind = UInt32(record.loadUnaligned(as: perfkit_record.self).kind)
    if kind == PERFKIT_RECORD_FREE.rawValue, record.count >= MemoryLayout<perfkit_free>.size {
      allocationEnds.add(record.loadUnaligned(as: perfkit_free.self))
      return
    }
    let fixed = MemoryLayout<perfkit_sample>.size
    guard record.count >= fixed else {
      garbage += 1
      return
    }
    let head = record.loadUnaligned(as: perfkit_sample.self)
    let asyncBytes = Int(head.async_count) * 16
    let stackBytes = Int(head.stack_bytes)
    guard Self.kindsWithStack.contains(kind),
      UInt32(head.async_count) <= PERFKIT_ASYNC_MAX, stackBytes % 8 == 0,
      stackBytes <= segment.configuration.stackBytes,
      asyncBytes + stackBytes <= record.count - fixed, head.isPossibleAllocation,
      !head.stack_address.addingReportingOverflow(UInt64(stackBytes)).overflow
    else {
      garbage += 1
      return
    }
    let async = UnsafeRawBufferPointer(rebasing: record[fixed..<(fixed + asyncBytes)])
    let stack = UnsafeRawBufferPointer(
      rebasing: record[(fixed + asyncBytes)..<(fixed + asyncBytes + stackBytes)])
    let ring = ring == 0 ? segment.layout.ringCount + Int(head.serial) % Self.waitingThreads : ring
    let (kept, shared) = windows.replace(
      by: stack, at: head.stack_address, serial: head.serial, ring: ring)
    if !spool.append(head, async: async, stack: kept, shared: shared, ring: ring) {
      samplesLost += 1
    }
  }
}

extension perfkit_sample {
  /// Whether the record is no allocation, or one that fits into the address space.
  fileprivate var isPossibleAllocation: Bool {
    UInt32(record.kind) != PERFKIT_RECORD_ALLOCATION.rawValue || allocated_bytes <= 1 << 47
  }
}
