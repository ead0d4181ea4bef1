internal import CPerfFormat
internal import Glibc

/// What precedes a sample in the spool.
struct SpoolEntry {
  /// Bytes of the whole entry, this header included; a multiple of 8.
  var bytes: UInt32
  /// Bytes at the top of the stack that equal the ring's previous sample's and are left out.
  var shared: UInt32
  /// The ring that it came from; samples of one ring follow each other as they were taken.
  var ring: UInt32
  /// Its record kind.
  var kind: UInt32
}

/// Samples on their way from the drain to the unwinder: first in memory, then in a file.
///
/// A stack is mostly equal to the one before it on the same thread, so only the part that differs
/// is kept: that is about a tenth, which spares the drain (it runs beside the measured code) the
/// first touch of fresh pages, and the disk nine tenths of 32 MB/s.
///
/// Safety of `@unchecked Sendable`: one thread appends, and only afterwards one reads.
final class SampleSpool: @unchecked Sendable {
  private static let chunkBytes = 1 << 20

  private struct Chunk {
    let memory: UnsafeMutableRawPointer
    var used = 0

    init() {
      memory = .allocate(byteCount: SampleSpool.chunkBytes, alignment: 16)
    }
  }

  private let folder: String
  private let memoryLimit: Int
  private var kept: [Chunk] = []
  private var current = Chunk()
  private var file: Int32 = -1
  /// The used bytes of the chunks in the file, each at a multiple of a chunk's size.
  private var written: [Int] = []
  /// The entries that it holds.
  private(set) var count = 0
  /// Bytes of all entries.
  private(set) var totalBytes = 0
  /// Why samples could not be kept, once that has happened.
  private(set) var failure: PerfProfileError?

  /// Creates an empty spool.
  ///
  /// - Parameters:
  ///   - folder: Where the file is made; it has no name there once it exists.
  ///   - memoryLimit: Bytes to keep in memory before the file is used.
  init(folder: String, memoryLimit: Int = 64 << 20) {
    self.folder = folder
    self.memoryLimit = memoryLimit
  }

  deinit {
    for chunk in kept { chunk.memory.deallocate() }
    current.memory.deallocate()
    if file >= 0 { close(file) }
  }

  /// Appends a sample.
  ///
  /// - Parameters:
  ///   - head: The validated record without its async contexts and stack.
  ///   - async: The bytes of its async contexts.
  ///   - stack: The part of the stack that is kept; a multiple of 8 bytes.
  ///   - shared: Bytes of stack above it that are left out.
  ///   - ring: The ring that it came from.
  /// - Returns: Whether there was room.
  func append(
    _ head: perf_sample, async: UnsafeRawBufferPointer, stack: UnsafeRawBufferPointer, shared: Int,
    ring: Int
  ) -> Bool {
    let headBytes = MemoryLayout<SpoolEntry>.size + MemoryLayout<perf_sample>.size
    let bytes = headBytes + async.count + stack.count
    // After a loss nothing may follow: later entries count on the stacks of the lost ones.
    guard failure == nil, current.used + bytes <= Self.chunkBytes || turnChunk() else {
      return false
    }
    let place = current.memory + current.used
    place.storeBytes(
      of: SpoolEntry(
        bytes: UInt32(bytes), shared: UInt32(shared), ring: UInt32(ring),
        kind: UInt32(head.record.kind)),
      as: SpoolEntry.self)
    (place + MemoryLayout<SpoolEntry>.size).storeBytes(of: head, as: perf_sample.self)
    if let source = async.baseAddress {
      (place + headBytes).copyMemory(from: source, byteCount: async.count)
    }
    if let source = stack.baseAddress {
      (place + headBytes + async.count).copyMemory(from: source, byteCount: stack.count)
    }
    current.used += bytes
    count += 1
    totalBytes += bytes
    return true
  }

  /// Calls `body` with each entry and the bytes behind it, in order.
  ///
  /// - Throws: `spool` when the file cannot be read back.
  func forEach(
    _ body: (SpoolEntry, UnsafeRawBufferPointer) throws(PerfProfileError) -> Void
  ) throws(PerfProfileError) {
    for chunk in kept { try Self.walk(chunk.memory, chunk.used, body) }
    if !written.isEmpty {
      let buffer = Chunk()
      defer { buffer.memory.deallocate() }
      for (index, used) in written.enumerated() {
        try read(into: buffer.memory, bytes: used, at: index * Self.chunkBytes)
        try Self.walk(buffer.memory, used, body)
      }
    }
    try Self.walk(current.memory, current.used, body)
  }

  private static func walk(
    _ memory: UnsafeMutableRawPointer, _ used: Int,
    _ body: (SpoolEntry, UnsafeRawBufferPointer) throws(PerfProfileError) -> Void
  ) throws(PerfProfileError) {
    var offset = 0
    while offset < used {
      let entry = (memory + offset).load(as: SpoolEntry.self)
      let head = MemoryLayout<SpoolEntry>.size
      try body(
        entry,
        UnsafeRawBufferPointer(start: memory + offset + head, count: Int(entry.bytes) - head))
      offset += Int(entry.bytes)
    }
  }

  // MARK: - Chunks

  /// Makes room by keeping the current chunk in memory or writing it out.
  private func turnChunk() -> Bool {
    if (kept.count + 2) * Self.chunkBytes <= memoryLimit {
      kept.append(current)
      current = Chunk()
      return true
    }
    do {
      try openFile()
      try write(current.memory, bytes: current.used, at: written.count * Self.chunkBytes)
    } catch {
      failure = error
      return false
    }
    written.append(current.used)
    current.used = 0
    return true
  }

  private func openFile() throws(PerfProfileError) {
    if file >= 0 { return }
    var template = Array("\(folder)/perfkit-samples-XXXXXX".utf8CString)
    file = mkstemp(&template)
    guard file >= 0 else { throw .spool(folder: folder, step: "making a file", errno: errno) }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(&template)
  }

  private func write(
    _ memory: UnsafeMutableRawPointer, bytes: Int, at offset: Int
  ) throws(PerfProfileError) {
    var done = 0
    while done < bytes {
      let step = pwrite(file, memory + done, bytes - done, off_t(offset + done))
      if step < 0 && errno == EINTR { continue }
      guard step > 0 else { throw .spool(folder: folder, step: "writing", errno: errno) }
      done += step
    }
  }

  private func read(
    into memory: UnsafeMutableRawPointer, bytes: Int, at offset: Int
  ) throws(PerfProfileError) {
    var done = 0
    while done < bytes {
      let step = pread(file, memory + done, bytes - done, off_t(offset + done))
      if step < 0 && errno == EINTR { continue }
      guard step > 0 else { throw .spool(folder: folder, step: "reading", errno: errno) }
      done += step
    }
  }
}
