import CPerfFormat
import Glibc
import Testing

@testable import PerfProfile

/// Every record of a segment.
///
/// The reader uses `perf_format.h` alone, so that the agent is not tested by the harness's own
/// reader.
struct SegmentRecords {
  struct Sample {
    let ring: Int
    let fixed: perfkit_sample
    /// The words of the copied stack.
    let stack: [UInt64]

    var flags: UInt32 { UInt32(fixed.record.flags) }
    var isWaiting: Bool { UInt32(fixed.record.kind) == PERFKIT_RECORD_WAITING.rawValue }
    var isTruncated: Bool { flags & PERFKIT_SAMPLE_TRUNCATED.rawValue != 0 }
    var isOnAlternateStack: Bool { flags & PERFKIT_SAMPLE_ALTSTACK.rawValue != 0 }
    var programCounter: UInt64 {
      withUnsafeBytes(of: fixed.registers) { bytes in
        bytes.loadUnaligned(
          fromByteOffset: bytes.count - MemoryLayout<UInt64>.size, as: UInt64.self)
      }
    }
  }

  struct Module {
    let fixed: perfkit_module
    let path: String
  }

  /// The samples of running threads.
  private(set) var samples: [Sample] = []
  /// The samples of waiting threads.
  private(set) var waits: [Sample] = []
  /// The stacks of threads that a signal ends.
  private(set) var crashes: [Sample] = []
  private(set) var starts: [perfkit_thread] = []
  private(set) var ends: [perfkit_thread] = []
  private(set) var modules: [Module] = []
  private(set) var intervals: [perfkit_interval] = []
  private(set) var intervalEnds: [perfkit_interval] = []
  private(set) var frames: [perfkit_frame] = []
  private(set) var phases: [perfkit_span] = []
  private(set) var signposts: [perfkit_span] = []
  private(set) var counters: [perfkit_value] = []
  private(set) var events: [perfkit_value] = []
  private(set) var dropped: UInt64 = 0
  /// The states of the rings, including ring 0.
  private(set) var states: [UInt32] = []
  let audit: perfkit_audit_values
  let agentVersion: UInt32
  private let names: [UInt8]

  /// Reads a segment whose program has ended.
  init(_ segment: CaptureSegment, _ header: UnsafeMutablePointer<perfkit_segment>) throws {
    audit = perfkit_segment_audit(header)
    agentVersion = perfkit_segment_agent_version(header)
    names = Array(segment.names)
    for index in 0..<segment.layout.ringCount {
      let ring = segment.ring(index)
      states.append(perfkit_ring_state(ring))
      let samples = try #require(ring.pointer(to: \.samples))
      let marks = try #require(ring.pointer(to: \.marks))
      let layout = segment.layout
      for record in try Self.walk(samples, segment.samples(ofRing: index), layout.sampleCapacity) {
        try readSample(record, ring: index)
      }
      for record in try Self.walk(marks, segment.marks(ofRing: index), layout.markCapacity) {
        try readMark(record, ring: index)
      }
      dropped += perfkit_area_dropped(samples) + perfkit_area_dropped(marks)
    }
  }

  /// Returns the text of a name id; nil for 0.
  func name(_ id: UInt32) -> String? {
    guard id > 0 else { return nil }
    let offset = Int(id - 1) * 8
    let bytes = names.withUnsafeBytes { $0.load(fromByteOffset: offset, as: UInt32.self) }
    return String(decoding: names[(offset + 4)..<(offset + 4 + Int(bytes))], as: UTF8.self)
  }

  /// Returns the last value that the program has reported under a name.
  func said(_ name: String) -> Double? {
    events.last { self.name($0.name) == name }?.value
  }

  /// The serial of the program's first thread.
  var mainSerial: UInt32? { starts.map(\.serial).min() }

  /// Returns the unread records of an area.
  private static func walk(
    _ area: UnsafeMutablePointer<perfkit_area>, _ base: UnsafeRawPointer, _ capacity: Int
  ) throws -> [UnsafeRawBufferPointer] {
    var records: [UnsafeRawBufferPointer] = []
    let head = perfkit_area_head(area)
    var tail = perfkit_area_tail(area)
    try #require(head - tail <= UInt64(capacity))
    while tail < head {
      let offset = Int(tail % UInt64(capacity))
      let bytes = Int((base + offset).load(as: UInt32.self))
      let kind = UInt32((base + offset).load(fromByteOffset: 4, as: UInt16.self))
      try #require(bytes >= 8 && bytes % 8 == 0 && offset + bytes <= capacity)
      if kind == PERFKIT_RECORD_PAD.rawValue {
        try #require(offset + bytes == capacity)
      } else {
        records.append(UnsafeRawBufferPointer(start: base + offset, count: bytes))
      }
      tail += UInt64(bytes)
    }
    try #require(tail == head)
    return records
  }

  private mutating func readSample(_ record: UnsafeRawBufferPointer, ring: Int) throws {
    let fixed = record.load(as: perfkit_sample.self)
    // Two words for each awaiting or outer caller precede the stack.
    let start = MemoryLayout<perfkit_sample>.size + 16 * Int(fixed.async_count)
    let isWaiting = UInt32(fixed.record.kind) == PERFKIT_RECORD_WAITING.rawValue
    let isCrash = UInt32(fixed.record.kind) == PERFKIT_RECORD_CRASH.rawValue
    try #require(
      isWaiting || isCrash || UInt32(fixed.record.kind) == PERFKIT_RECORD_SAMPLE.rawValue)
    // Handlers write into the rings of their threads, the ticker into ring 0.
    try #require(isWaiting == (ring == 0))
    try #require(start + Int(fixed.stack_bytes) == record.count)
    try #require(fixed.tick_ns <= fixed.record.time_ns)
    let stack = stride(from: start, to: record.count, by: 8).map {
      record.load(fromByteOffset: $0, as: UInt64.self)
    }
    let sample = Sample(ring: ring, fixed: fixed, stack: stack)
    if isWaiting {
      waits.append(sample)
    } else if isCrash {
      crashes.append(sample)
    } else {
      samples.append(sample)
    }
  }

  private mutating func readMark(_ record: UnsafeRawBufferPointer, ring: Int) throws {
    let kind = UInt32(record.load(fromByteOffset: 4, as: UInt16.self))
    switch kind {
    case PERFKIT_RECORD_THREAD_START.rawValue: starts.append(record.load(as: perfkit_thread.self))
    case PERFKIT_RECORD_THREAD_END.rawValue: ends.append(record.load(as: perfkit_thread.self))
    case PERFKIT_RECORD_MODULE.rawValue:
      let fixed = record.load(as: perfkit_module.self)
      let start = MemoryLayout<perfkit_module>.size
      let path = record[start..<(start + Int(fixed.path_bytes))]
      modules.append(Module(fixed: fixed, path: String(decoding: path, as: UTF8.self)))
    case PERFKIT_RECORD_INTERVAL.rawValue: intervals.append(record.load(as: perfkit_interval.self))
    case PERFKIT_RECORD_INTERVAL_END.rawValue:
      intervalEnds.append(record.load(as: perfkit_interval.self))
    case PERFKIT_RECORD_FRAME.rawValue: frames.append(record.load(as: perfkit_frame.self))
    case PERFKIT_RECORD_PHASE.rawValue: phases.append(record.load(as: perfkit_span.self))
    case PERFKIT_RECORD_SIGNPOST.rawValue: signposts.append(record.load(as: perfkit_span.self))
    case PERFKIT_RECORD_COUNTER.rawValue: counters.append(record.load(as: perfkit_value.self))
    case PERFKIT_RECORD_EVENT.rawValue: events.append(record.load(as: perfkit_value.self))
    default: Issue.record("ring \(ring) holds a mark of unknown kind \(kind)")
    }
    let isOfTicker = kind < PERFKIT_RECORD_INTERVAL.rawValue
    try #require(isOfTicker == (ring == 0))
  }
}
