internal import CLinux
internal import CPerfFormat
internal import Glibc
internal import Synchronization

/// The memory file into which a process writes the waits of its Swift tasks (perf_tasks.h).
///
/// It is used for one process, and read by calls instead of through a mapping: unused parts of the tables
/// take no memory, and the process cannot harm the reader by shrinking the file.
public final class TaskSegment: Sendable {
  /// The descriptor for the process, which gets it by dup2 under the number in `descriptorVariable`.
  public let descriptor: Int32

  /// The environment variable with the number of the descriptor.
  public static let descriptorVariable = PERFKIT_ENV_TASKS_FD

  private let phase = Mutex(Phase(created: monotonicNanoseconds()))

  /// The times of the measured phase, which are not read back from the file.
  struct Phase {
    /// A moment before the process began.
    let created: UInt64
    /// 0 before.
    var began: UInt64 = 0
    /// 0 before.
    var ended: UInt64 = 0
  }

  /// Creates the file and writes its header.
  ///
  /// - Throws: `segment` if the system refuses.
  public init() throws(PerfProfileError) {
    descriptor = clinux_memory_file("perfkit-tasks")
    guard descriptor >= 0 else { throw .segment(step: "memfd_create", errno: -descriptor) }
    guard ftruncate(descriptor, Int(perfkit_tasks_bytes)) == 0 else {
      let code = errno
      close(descriptor)
      throw .segment(step: "taking \(perfkit_tasks_bytes) bytes", errno: code)
    }
    var header = perfkit_tasks_header()
    header.magic = perfkit_tasks_magic
    header.version = PERFKIT_TASKS_VERSION
    _ = withUnsafeBytes(of: header) { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  deinit { close(descriptor) }

  /// Begins the measured phase; waits before it do not count.
  public func begin() {
    let now = monotonicNanoseconds()
    phase.withLock { $0.began = now }
    write(now, to: \.began_ns)
  }

  /// Ends the measured phase; a second call does nothing.
  public func end() {
    let now = monotonicNanoseconds()
    let isFirst = phase.withLock { phase in
      guard phase.ended == 0 else { return false }
      phase.ended = now
      return true
    }
    if isFirst { write(now, to: \.ended_ns) }
  }

  private var header: perfkit_tasks_header {
    var header = perfkit_tasks_header()
    _ = withUnsafeMutableBytes(of: &header) { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return header
  }

  private func write(_ time: UInt64, to field: KeyPath<perfkit_tasks_header, UInt64>) {
    guard let offset = MemoryLayout<perfkit_tasks_header>.offset(of: field) else { return }
    // The kernel copies an aligned word at once.
    _ = withUnsafeBytes(of: time) { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
  }

  /// Returns the waits that the process has recorded so far.
  ///
  /// Waits that go on count up to the end of the measured phase.
  public func read() -> TaskWaits { read(in: phase.withLock { $0 }) }

  /// Returns the waits of a phase.
  func read(in phase: Phase) -> TaskWaits {
    let header = header
    var reader = TaskTableReader(
      header: header, phase: phase,
      stacks: table(perfkit_task_stacks_offset, Int(PERFKIT_TASK_STACKS)),
      addresses: table(
        perfkit_task_addresses_offset,
        Int(clamping: min(header.addresses_used, UInt64(PERFKIT_TASK_ADDRESSES)))),
      names: table(perfkit_task_names_offset, Int(PERFKIT_TASK_NAMES)),
      texts: table(
        perfkit_task_texts_offset, Int(min(header.texts_used, PERFKIT_TASK_TEXT_BYTES))))
    let bucketBytes = MemoryLayout<perfkit_task_bucket>.size
    // In parts, because unused buckets read as zeros, and most of them are unused.
    let part = 1024
    for first in stride(from: 0, to: Int(PERFKIT_TASK_BUCKETS), by: part) {
      let offset = perfkit_task_buckets_offset + UInt64(first * bucketBytes)
      let buckets: [perfkit_task_bucket] = table(offset, part)
      for bucket in buckets { reader.add(bucket) }
    }
    return reader.waits()
  }

  /// Returns the elements of a table; fewer if the process has shrunk the file.
  private func table<Element>(_ offset: UInt64, _ count: Int) -> [Element] {
    let size = MemoryLayout<Element>.stride
    return Array(unsafeUninitializedCapacity: count) { buffer, filled in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      var done = 0
      while done < count * size {
        let read = pread(
          descriptor, bytes.baseAddress.map { $0 + done }, count * size - done,
          Int(offset) + done)
        if read <= 0 { break }
        done += read
      }
      filled = done / size
    }
  }
}
