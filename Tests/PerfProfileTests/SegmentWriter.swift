import CPerfFormat
import Glibc

@testable import PerfProfile

/// Writes into a segment as the agent does, but in this process and at once.
struct SegmentWriter {
  let segment: CaptureSegment

  /// Assigns a ring to a thread.
  func claim(_ ring: Int, serial: UInt32) {
    let place = UnsafeMutableRawPointer(segment.ring(ring))
    place.storeBytes(of: PERFKIT_RING_ACTIVE.rawValue, as: UInt32.self)
    place.storeBytes(of: serial, toByteOffset: 8, as: UInt32.self)
  }

  /// Ends the thread of a ring.
  func close(_ ring: Int) {
    UnsafeMutableRawPointer(segment.ring(ring))
      .storeBytes(of: PERFKIT_RING_CLOSED.rawValue, as: UInt32.self)
  }

  /// Returns the bytes of a whole record.
  func bytes<Record>(_ record: Record, _ tail: [UInt8] = []) -> [UInt8] {
    let bytes = withUnsafeBytes(of: record) { Array($0) } + tail
    return bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
  }

  /// Appends a record to a ring's marks or samples, according to its kind.
  func append(_ record: [UInt8], ring: Int) {
    let kind = record.withUnsafeBytes { $0.load(fromByteOffset: 4, as: UInt16.self) }
    let isSample = kind < 16
    let layout = segment.layout
    let capacity = isSample ? layout.sampleCapacity : layout.markCapacity
    let header = area(ring, isSample: isSample)
    var head = header.load(as: UInt64.self)
    let base = UnsafeMutableRawPointer(
      mutating: isSample ? segment.samples(ofRing: ring) : segment.marks(ofRing: ring))
    var offset = Int(head) % capacity
    if offset + record.count > capacity {
      (base + offset).storeBytes(of: 0, as: UInt64.self)
      head += UInt64(capacity - offset)
      offset = 0
    }
    (base + offset).copyMemory(from: record, byteCount: record.count)
    (base + offset).storeBytes(of: UInt32(record.count), as: UInt32.self)
    header.storeBytes(of: head + UInt64(record.count), as: UInt64.self)
  }

  /// Returns the header of a ring's area; its first word is the head.
  func area(_ ring: Int, isSample: Bool) -> UnsafeMutableRawPointer {
    let offset =
      isSample
      ? MemoryLayout<perfkit_ring>.offset(of: \.samples)
      : MemoryLayout<perfkit_ring>.offset(of: \.marks)
    return UnsafeMutableRawPointer(segment.ring(ring)) + (offset ?? 0)
  }

  /// Sets the number of samples, or marks, that did not fit into a ring.
  func count(dropped: UInt64, ring: Int, isSample: Bool = true) {
    // The third word of the area; atomic fields have no offset in Swift.
    area(ring, isSample: isSample).storeBytes(of: dropped, toByteOffset: 2 * 8, as: UInt64.self)
  }

  /// Sets the numbers of records that the agent dropped.
  func audit(samplesDropped: UInt64, allocationsDropped: UInt64) {
    // Atomic fields have no offset in Swift.
    audit(word: 6, samplesDropped)
    audit(word: 14, allocationsDropped)
  }

  /// Sets a counter of the agent by its place in `struct perfkit_audit`.
  func audit(word: Int, _ value: UInt64) {
    let header = UnsafeMutableRawPointer(segment.ring(0)) - segment.layout.ringsOffset
    let audit = header + (MemoryLayout<perfkit_segment>.offset(of: \.audit) ?? 0)
    audit.storeBytes(of: value, toByteOffset: word * 8, as: UInt64.self)
  }

  /// Sets the counters of allocations of a slot.
  func allocations(count: UInt64, bytes: UInt64, slot: Int = 0) {
    let header = UnsafeMutableRawPointer(segment.ring(0)) - segment.layout.ringsOffset
    let slot = header + segment.layout.allocationsOffset + slot * 64
    slot.storeBytes(of: count, as: UInt64.self)
    slot.storeBytes(of: bytes, toByteOffset: 8, as: UInt64.self)
  }

  /// Writes a name and returns its id; the caller advances the offset.
  func name(_ text: String, at offset: inout Int) -> UInt32 {
    let header = UnsafeMutableRawPointer(segment.ring(0)) - segment.layout.ringsOffset
    let base = header + segment.layout.namesOffset
    base.storeBytes(of: UInt32(text.utf8.count), toByteOffset: offset, as: UInt32.self)
    (base + offset + 4).copyMemory(from: Array(text.utf8), byteCount: text.utf8.count)
    let id = UInt32(offset / 8 + 1)
    offset += (4 + text.utf8.count + 7) / 8 * 8
    // `names_used` is the fourth word after the flags; atomic fields have no offset in Swift.
    let flags = MemoryLayout<perfkit_segment>.offset(of: \.flags) ?? 0
    header.storeBytes(of: UInt32(offset), toByteOffset: flags + 4 * 4, as: UInt32.self)
    return id
  }

  /// Sets the attached process.
  func attach(process: Int32) {
    let header = UnsafeMutableRawPointer(segment.ring(0)) - segment.layout.ringsOffset
    // The third word after the flags.
    let flags = MemoryLayout<perfkit_segment>.offset(of: \.flags) ?? 0
    header.storeBytes(of: process, toByteOffset: flags + 3 * 4, as: Int32.self)
  }

  /// Returns a record's header; its size is set when it is appended.
  static func head(
    _ kind: perfkit_record_kind, flags: UInt32 = 0, time: UInt64 = monotonicNanoseconds()
  ) -> perfkit_record {
    perfkit_record(bytes: 0, kind: UInt16(kind.rawValue), flags: UInt16(flags), time_ns: time)
  }

  /// Returns a sample with a stack.
  func sample(
    serial: UInt32, stack: [UInt64], end: UInt64 = 0x7fff_0000_0000,
    change: (inout perfkit_sample) -> Void = { _ in }
  ) -> [UInt8] {
    var sample = perfkit_sample()
    sample.record = Self.head(PERFKIT_RECORD_SAMPLE)
    sample.serial = serial
    sample.stack_bytes = UInt32(stack.count * 8)
    sample.stack_address = end - UInt64(stack.count * 8)
    sample.tick_ns = sample.record.time_ns
    change(&sample)
    return bytes(sample, stack.flatMap { word in withUnsafeBytes(of: word) { Array($0) } })
  }
}
