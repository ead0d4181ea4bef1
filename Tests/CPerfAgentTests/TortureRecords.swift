import CPerfFormat
import Glibc

@testable import PerfProfile

/// Drains a segment while a program runs, and checks every record.
///
/// The reader uses `perf_format.h` alone, as `SegmentRecords` does. It keeps no record, so that a
/// program may run for hours.
struct TortureRecords {
  /// The first errors in the records.
  private(set) var problems: [String] = []
  private(set) var samples: UInt64 = 0
  private(set) var allocations: UInt64 = 0
  private(set) var starts: UInt64 = 0
  private(set) var ends: UInt64 = 0
  private(set) var moduleLists = 0
  /// Marks for which the ticker's ring had no room, including starts and ends of threads.
  private(set) var tickerMarksDropped: UInt64 = 0
  /// Marks and samples for which rings had no room.
  private var dropped: (marks: UInt64, samples: UInt64) = (0, 0)
  private var values: [UInt32: Double] = [:]
  /// The time of each thread's last sample.
  private var lastSample: [UInt32: UInt64] = [:]
  private var started: Set<UInt32> = []
  private var signalled: Set<UInt32> = []

  /// Whether each signalled thread has a recorded start.
  ///
  /// A thread that only allocates may end, with its program, before the ticker's first look.
  var areThreadsKnown: Bool { started.isSuperset(of: signalled) }

  /// Returns the number of records for which rings had no room or that handlers did not write.
  ///
  /// A sample for which its ring has no room is counted by both.
  func lost(_ audit: AgentAudit) -> UInt64 {
    let allocations = min(dropped.samples, audit.allocations_dropped)
    return dropped.marks + allocations
      + max(dropped.samples - allocations, audit.samples_dropped)
  }

  /// Returns the last value that the program has reported under a name.
  func said(_ name: String, in segment: CaptureSegment) -> Double? {
    let names = segment.names
    for (id, value) in values where id > 0 {
      let offset = Int(id - 1) * 8
      let bytes = Int(names.load(fromByteOffset: offset, as: UInt32.self))
      let text = names[(offset + 4)..<(offset + 4 + bytes)]
      if String(decoding: text, as: UTF8.self) == name { return value }
    }
    return nil
  }

  /// Reads all records and releases their room.
  mutating func drain(_ segment: CaptureSegment) {
    let layout = segment.layout
    dropped = (0, 0)
    for index in 0..<layout.ringCount {
      let ring = segment.ring(index)
      let state = perfkit_ring_state(ring)
      guard let marks = ring.pointer(to: \.marks), let samples = ring.pointer(to: \.samples) else {
        continue
      }
      dropped.marks += perfkit_area_dropped(marks)
      dropped.samples += perfkit_area_dropped(samples)
      if index == 0 { tickerMarksDropped = dropped.marks }
      if index > 0 && state == PERFKIT_RING_FREE.rawValue { continue }
      walk(marks, segment.marks(ofRing: index), layout.markCapacity) { records, record in
        records.takeMark(record, ring: index)
      }
      walk(samples, segment.samples(ofRing: index), layout.sampleCapacity) { records, record in
        records.takeSample(record, ring: index, owner: perfkit_ring_serial(ring))
      }
      if index > 0 && state == PERFKIT_RING_CLOSED.rawValue { perfkit_ring_release(ring) }
    }
  }

  // MARK: - Records

  private mutating func walk(
    _ area: UnsafeMutablePointer<perfkit_area>, _ base: UnsafeRawPointer, _ capacity: Int,
    take: (inout Self, UnsafeRawBufferPointer) -> Void
  ) {
    let head = perfkit_area_head(area)
    var tail = perfkit_area_tail(area)
    check(
      head >= tail && head - tail <= UInt64(capacity), "a head at \(head) and a tail at \(tail)")
    while tail < head {
      let offset = Int(tail % UInt64(capacity))
      let bytes = Int((base + offset).load(as: UInt32.self))
      let kind = UInt32((base + offset).load(fromByteOffset: 4, as: UInt16.self))
      guard bytes >= 8, bytes % 8 == 0, offset + bytes <= capacity, tail + UInt64(bytes) <= head
      else {
        problem("a record of kind \(kind) with \(bytes) bytes at \(offset) of \(capacity)")
        tail = head
        break
      }
      if kind == PERFKIT_RECORD_PAD.rawValue {
        check(offset + bytes == capacity, "a gap of \(bytes) bytes at \(offset) of \(capacity)")
      } else {
        take(&self, UnsafeRawBufferPointer(start: base + offset, count: bytes))
      }
      tail += UInt64(bytes)
    }
    perfkit_area_set_tail(area, tail)
  }

  private mutating func takeSample(
    _ record: UnsafeRawBufferPointer, ring: Int, owner: UInt32
  ) {
    let kind = UInt32(record.load(fromByteOffset: 4, as: UInt16.self))
    if kind == PERFKIT_RECORD_FREE.rawValue {
      check(
        record.count == MemoryLayout<perfkit_free>.size && ring > 0
          && record.load(as: perfkit_free.self).allocation > 0,
        "an end of an allocation of \(record.count) bytes in ring \(ring)")
      return
    }
    guard record.count >= MemoryLayout<perfkit_sample>.size else {
      problem("a sample of \(record.count) bytes")
      return
    }
    let sample = record.load(as: perfkit_sample.self)
    let isAllocation = kind == PERFKIT_RECORD_ALLOCATION.rawValue
    guard isAllocation || kind == PERFKIT_RECORD_SAMPLE.rawValue else {
      check(kind == PERFKIT_RECORD_WAITING.rawValue && ring == 0, "a sample of kind \(kind)")
      return
    }
    if isAllocation {
      allocations += 1
    } else {
      samples += 1
      signalled.insert(sample.serial)
    }
    let bytes =
      MemoryLayout<perfkit_sample>.size + 16 * Int(sample.async_count) + Int(sample.stack_bytes)
    check(bytes == record.count, "a sample of \(bytes) bytes in \(record.count)")
    check(ring > 0 && sample.serial == owner, "thread \(sample.serial) in the ring of \(owner)")
    check(sample.tid > 0, "a sample without a thread")
    let time = sample.record.time_ns
    check(isAllocation || sample.tick_ns <= time, "a sample before its tick")
    check(time <= monotonicNanoseconds(), "a sample with a future time")
    check(time > lastSample[sample.serial] ?? 0, "thread \(sample.serial) has samples out of order")
    lastSample[sample.serial] = time
  }

  private mutating func takeMark(_ record: UnsafeRawBufferPointer, ring: Int) {
    let kind = UInt32(record.load(fromByteOffset: 4, as: UInt16.self))
    check(record.count >= MemoryLayout<perfkit_record>.size, "a mark of \(record.count) bytes")
    check(
      kind < PERFKIT_RECORD_INTERVAL.rawValue ? ring == 0 : ring > 0, "kind \(kind) in ring \(ring)"
    )
    switch kind {
    case PERFKIT_RECORD_THREAD_START.rawValue:
      starts += 1
      let serial = record.load(as: perfkit_thread.self).serial
      check(started.insert(serial).inserted, "thread \(serial) starts twice")
    case PERFKIT_RECORD_THREAD_END.rawValue:
      ends += 1
      let serial = record.load(as: perfkit_thread.self).serial
      check(started.contains(serial), "thread \(serial) ends before it starts")
    case PERFKIT_RECORD_MODULE.rawValue:
      let module = record.load(as: perfkit_module.self)
      if UInt32(module.record.flags) & PERFKIT_MODULE_FIRST != 0 { moduleLists += 1 }
      check(module.low < module.high, "a module without an address")
    case PERFKIT_RECORD_EVENT.rawValue:
      let event = record.load(as: perfkit_value.self)
      values[event.name] = event.value
    default:
      check(
        (PERFKIT_RECORD_INTERVAL.rawValue...PERFKIT_RECORD_EVENT.rawValue).contains(kind),
        "a mark of kind \(kind)")
    }
  }

  private mutating func check(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { problem(text()) }
  }

  private mutating func problem(_ text: String) {
    if problems.count < 10 { problems.append(text) }
  }
}
