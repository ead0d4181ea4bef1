internal import CLinux

/// A record of the kernel's sampling (perf_event_open(2), "MMAP layout").
///
/// The buffers are parts of the record's bytes.
struct EventRecord {
  enum Content {
    case sample(Sample)
    /// A file was mapped with permission to execute.
    case mapped(Mapping)
    /// A thread got a name; `isExec` if its process executed a program.
    case named(String, isExec: Bool)
    case began(parent: Int32, parentThread: Int32)
    case ended
    case lost(UInt64)
    /// A thread goes on running, or stops; `isPreempted` if another thread took its CPU.
    case resumed
    case stopped(isPreempted: Bool)
    /// The kernel suspended sampling because it took too much time.
    case throttled
  }

  struct Sample {
    /// The number of its event.
    let event: UInt64
    /// The chain of addresses with markers of contexts, innermost first; 8 bytes each.
    let chain: UnsafeRawBufferPointer
    /// The registers in the kernel's order; nil without user mode.
    let registers: UnsafeRawBufferPointer?
    /// The stack from the stack pointer on.
    let stack: UnsafeRawBufferPointer
    /// Whether all requested bytes of the stack were copied, so that it may continue.
    let isFull: Bool
  }

  struct Mapping: Hashable {
    let address: UInt64
    let bytes: UInt64
    /// The offset of the first byte in the file.
    let offset: UInt64
    let path: String
    /// The build id; empty if the record has none.
    let buildID: [UInt8]
  }

  let process: Int32
  let thread: Int32
  /// CLOCK_MONOTONIC in nanoseconds.
  let time: UInt64
  let content: Content

  /// The bytes at the end of records that are no samples: process, thread, time and event.
  private static let trailer = 24

  /// Reads a record; nil if its kind is of no interest or its lengths contradict each other.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = Reader(bytes: bytes)
    guard let kind: UInt32 = reader.next(), let flags: UInt16 = reader.next(),
      reader.next(UInt16.self) != nil
    else { return nil }
    if kind == CLINUX_EVENT_SAMPLE.rawValue {
      guard let event: UInt64 = reader.next(), let process: Int32 = reader.next(),
        let thread: Int32 = reader.next(), let time: UInt64 = reader.next(),
        let sample = Self.sample(event, &reader)
      else { return nil }
      (self.process, self.thread, self.time) = (process, thread, time)
      content = .sample(sample)
      return
    }
    var end = Reader(bytes: bytes, place: bytes.count - Self.trailer)
    guard bytes.count >= 8 + Self.trailer, let process: Int32 = end.next(),
      let thread: Int32 = end.next(), let time: UInt64 = end.next(),
      let content = Self.content(kind, flags, &reader)
    else { return nil }
    self.content = content.content
    // The record of a new thread is written by its parent.
    (self.process, self.thread) = content.subject ?? (process, thread)
    self.time = time
  }

  private static func sample(_ event: UInt64, _ reader: inout Reader) -> Sample? {
    guard let count: UInt64 = reader.next(),
      let chain = reader.take(8 &* Int(clamping: min(count, 1 << 16))),
      let form: UInt64 = reader.next()
    else { return nil }
    var registers: UnsafeRawBufferPointer?
    if form != 0 {
      registers = reader.take(8 * Int(CLINUX_EVENT_REGISTERS))
      if registers == nil { return nil }
    }
    guard let size: UInt64 = reader.next() else { return nil }
    var stack = UnsafeRawBufferPointer(start: nil, count: 0)
    var isFull = false
    if size > 0 {
      guard let copied = reader.take(Int(clamping: min(size, 1 << 17))),
        let used: UInt64 = reader.next(), used <= size
      else { return nil }
      stack = UnsafeRawBufferPointer(rebasing: copied[..<(Int(used) & ~7)])
      isFull = used == size
    }
    return Sample(
      event: event, chain: chain, registers: registers, stack: stack, isFull: isFull)
  }

  private static func content(
    _ kind: UInt32, _ flags: UInt16, _ reader: inout Reader
  ) -> (content: Content, subject: (Int32, Int32)?)? {
    switch clinux_event_kind(rawValue: kind) {
    case CLINUX_EVENT_MMAP2:
      guard let process: Int32 = reader.next(), let thread: Int32 = reader.next(),
        let mapping = mapping(flags, &reader)
      else { return nil }
      return (.mapped(mapping), (process, thread))
    case CLINUX_EVENT_COMM:
      guard let process: Int32 = reader.next(), let thread: Int32 = reader.next() else {
        return nil
      }
      let isExec = UInt32(flags) & CLINUX_EVENT_IS_EXEC.rawValue != 0
      return (.named(reader.text(), isExec: isExec), (process, thread))
    case CLINUX_EVENT_FORK, CLINUX_EVENT_EXIT:
      guard let process: Int32 = reader.next(), let parent: Int32 = reader.next(),
        let thread: Int32 = reader.next(), let parentThread: Int32 = reader.next()
      else { return nil }
      let began = Content.began(parent: parent, parentThread: parentThread)
      return (kind == CLINUX_EVENT_FORK.rawValue ? began : .ended, (process, thread))
    case CLINUX_EVENT_LOST:
      guard reader.next(UInt64.self) != nil, let count: UInt64 = reader.next() else { return nil }
      return (.lost(count), nil)
    case CLINUX_EVENT_LOST_SAMPLES:
      guard let count: UInt64 = reader.next() else { return nil }
      return (.lost(count), nil)
    case CLINUX_EVENT_THROTTLE: return (.throttled, nil)
    case CLINUX_EVENT_SWITCH:
      let isOut = UInt32(flags) & CLINUX_EVENT_IS_OUT.rawValue != 0
      let isPreempted = UInt32(flags) & CLINUX_EVENT_IS_PREEMPTED.rawValue != 0
      return (isOut ? .stopped(isPreempted: isPreempted) : .resumed, nil)
    default: return nil
    }
  }

  private static func mapping(_ flags: UInt16, _ reader: inout Reader) -> Mapping? {
    guard let address: UInt64 = reader.next(), let bytes: UInt64 = reader.next(),
      let offset: UInt64 = reader.next(), let file = reader.take(24),
      // The protection and the flags of the mapping.
      reader.next(UInt64.self) != nil
    else { return nil }
    // Otherwise the numbers of the file's device and inode.
    let hasID = UInt32(flags) & CLINUX_EVENT_HAS_BUILD_ID.rawValue != 0
    let id = hasID ? Array(file[4..<(4 + min(20, Int(file[0])))]) : []
    return Mapping(
      address: address, bytes: bytes, offset: offset, path: reader.text(), buildID: id)
  }

  /// Reads values one after the other.
  private struct Reader {
    private let bytes: ByteReader
    private var place: Int

    init(bytes: UnsafeRawBufferPointer, place: Int = 0) {
      (self.bytes, self.place) = (ByteReader(bytes: bytes), place)
    }

    mutating func next<Value: BitwiseCopyable>(_ type: Value.Type = Value.self) -> Value? {
      guard let value = bytes.load(place, as: type) else { return nil }
      place += MemoryLayout<Value>.size
      return value
    }

    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
      guard let part = bytes.slice(place, count) else { return nil }
      place += count
      return part
    }

    /// Returns the text up to the zero byte.
    func text() -> String {
      let bytes = bytes.bytes
      return String(decoding: bytes[min(place, bytes.count)...].prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
