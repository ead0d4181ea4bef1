internal import CPerfFormat

/// The header of a sample in the spool.
struct SpoolEntry {
  /// Bytes of the entry including this header; a multiple of 8.
  var bytes: UInt32
  /// Bytes at the top of the stack that equal the ring's previous sample and are omitted.
  var shared: UInt32
  /// The ring of the sample; samples of one ring are in the order in which they were taken.
  var ring: UInt32
  /// The kind of the record.
  var kind: UInt32
}

/// Samples of a process between the drain and the unwinder.
///
/// A stack mostly equals the previous stack of its thread, so the spool keeps only the part that differs,
/// about a tenth. The drain, which runs beside the measured code, then touches fewer fresh pages, and the
/// disk gets a tenth of 32 MB/s.
///
/// Safety of `@unchecked Sendable`: one thread appends, and another one reads only after that.
final class SampleSpool: @unchecked Sendable {
  private static let chunkBytes = 1 << 20

  /// Consecutive entries.
  private struct Part {
    enum Place {
      case memory(UnsafeMutableRawPointer)
      case file(offset: Int)
    }

    let place: Place
    let bytes: Int
  }

  private let storage: SampleStorage
  /// The full chunks in order.
  private var parts: [Part] = []
  /// The chunk that is being filled; nil before its first entry.
  private var current: UnsafeMutableRawPointer?
  private var used = 0
  /// Bytes of the storage's memory that this spool uses.
  private var taken = 0
  /// The number of entries.
  private(set) var count = 0
  /// The numbers of stored and of lost records of allocations.
  private(set) var allocations = (kept: 0, lost: 0)
  /// Bytes of all entries.
  private(set) var totalBytes = 0
  /// Why samples were lost; nil if none were.
  private(set) var failure: PerfProfileError?

  /// Creates an empty spool.
  ///
  /// - Parameter storage: The memory and the file for its chunks.
  init(_ storage: SampleStorage) {
    self.storage = storage
  }

  deinit {
    for case .memory(let memory) in parts.map(\.place) { memory.deallocate() }
    current?.deallocate()
    storage.giveBack(taken)
  }

  /// Appends a sample.
  ///
  /// - Parameters:
  ///   - head: The validated record without its async contexts and stack.
  ///   - async: The bytes of its async contexts.
  ///   - stack: The kept part of the stack; a multiple of 8 bytes.
  ///   - shared: Bytes of the stack above `stack` that are omitted.
  ///   - ring: The ring of the sample.
  /// - Returns: Whether the sample was stored.
  func append(
    _ head: perfkit_sample, async: UnsafeRawBufferPointer, stack: UnsafeRawBufferPointer,
    shared: Int, ring: Int
  ) -> Bool {
    let headBytes = MemoryLayout<SpoolEntry>.size + MemoryLayout<perfkit_sample>.size
    let bytes = headBytes + async.count + stack.count
    let isAllocation = UInt32(head.record.kind) == PERFKIT_RECORD_ALLOCATION.rawValue
    // After a loss nothing may be stored, because later entries omit parts of lost stacks.
    guard failure == nil, used + bytes <= Self.chunkBytes || turnChunk() else {
      if isAllocation { allocations.lost += 1 }
      return false
    }
    let memory = current ?? Self.chunk()
    current = memory
    let place = memory + used
    place.storeBytes(
      of: SpoolEntry(
        bytes: UInt32(bytes), shared: UInt32(shared), ring: UInt32(ring),
        kind: UInt32(head.record.kind)),
      as: SpoolEntry.self)
    (place + MemoryLayout<SpoolEntry>.size).storeBytes(of: head, as: perfkit_sample.self)
    if let source = async.baseAddress {
      (place + headBytes).copyMemory(from: source, byteCount: async.count)
    }
    if let source = stack.baseAddress {
      (place + headBytes + async.count).copyMemory(from: source, byteCount: stack.count)
    }
    used += bytes
    count += 1
    if isAllocation { allocations.kept += 1 }
    totalBytes += bytes
    return true
  }

  /// Calls `body` with each entry and the bytes after it, in order.
  ///
  /// - Throws: `spool` if the file cannot be read.
  func forEach(
    _ body: (SpoolEntry, UnsafeRawBufferPointer) throws(PerfProfileError) -> Void
  ) throws(PerfProfileError) {
    var buffer: UnsafeMutableRawPointer?
    defer { buffer?.deallocate() }
    for part in parts {
      switch part.place {
      case .memory(let memory): try Self.walk(memory, part.bytes, body)
      case .file(let offset):
        let memory = buffer ?? Self.chunk()
        buffer = memory
        try storage.read(into: memory, bytes: part.bytes, at: offset)
        try Self.walk(memory, part.bytes, body)
      }
    }
    if let current { try Self.walk(current, used, body) }
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

  private static func chunk() -> UnsafeMutableRawPointer {
    .allocate(byteCount: chunkBytes, alignment: 16)
  }

  /// Keeps the full chunk in memory or writes it to the file; false if neither is possible.
  private func turnChunk() -> Bool {
    guard let memory = current else { return true }
    if take(Self.chunkBytes) {
      parts.append(Part(place: .memory(memory), bytes: used))
      current = nil
    } else {
      do {
        let offset = try storage.write(memory, bytes: used)
        parts.append(Part(place: .file(offset: offset), bytes: used))
      } catch {
        failure = error
        return false
      }
    }
    used = 0
    return true
  }

  /// Releases the unused rest of the current chunk; nothing may be appended afterwards.
  ///
  /// Most of the thousands of processes of a build fill only a small part of a chunk.
  func seal() {
    guard let memory = current else { return }
    if !take(used), let offset = try? storage.write(memory, bytes: used) {
      parts.append(Part(place: .file(offset: offset), bytes: used))
    } else {
      // Beyond the limit of memory, a last small allocation is better than losing these samples.
      let exact = UnsafeMutableRawPointer.allocate(byteCount: used, alignment: 16)
      exact.copyMemory(from: memory, byteCount: used)
      parts.append(Part(place: .memory(exact), bytes: used))
    }
    memory.deallocate()
    current = nil
    used = 0
  }

  private func take(_ bytes: Int) -> Bool {
    guard storage.takeMemory(bytes) else { return false }
    taken += bytes
    return true
  }
}
