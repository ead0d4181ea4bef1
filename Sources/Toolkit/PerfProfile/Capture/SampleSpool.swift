internal import CPerfFormat

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

/// Samples of a process on their way from the drain to the unwinder.
///
/// A stack is mostly equal to the one before it on the same thread, so only the part that differs
/// is kept: that is about a tenth, which spares the drain (it runs beside the measured code) the
/// first touch of fresh pages, and the disk nine tenths of 32 MB/s.
///
/// Safety of `@unchecked Sendable`: one thread appends, and only afterwards one reads.
final class SampleSpool: @unchecked Sendable {
  private static let chunkBytes = 1 << 20

  /// Entries that follow each other.
  private struct Part {
    enum Place {
      case memory(UnsafeMutableRawPointer)
      case file(offset: Int)
    }

    let place: Place
    let bytes: Int
  }

  private let room: SampleRoom
  /// In the order in which they were filled.
  private var parts: [Part] = []
  /// A chunk that is being filled; nil before the first entry comes into it.
  private var current: UnsafeMutableRawPointer?
  private var used = 0
  /// Bytes of the room's memory that are in use here.
  private var taken = 0
  /// The entries that it holds.
  private(set) var count = 0
  /// Bytes of all entries.
  private(set) var totalBytes = 0
  /// Why samples could not be kept, once that has happened.
  private(set) var failure: PerfProfileError?

  /// Creates an empty spool.
  ///
  /// - Parameter room: Where its chunks are kept.
  init(_ room: SampleRoom) {
    self.room = room
  }

  deinit {
    for case .memory(let memory) in parts.map(\.place) { memory.deallocate() }
    current?.deallocate()
    room.giveBack(taken)
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
    _ head: perfkit_sample, async: UnsafeRawBufferPointer, stack: UnsafeRawBufferPointer,
    shared: Int,
    ring: Int
  ) -> Bool {
    let headBytes = MemoryLayout<SpoolEntry>.size + MemoryLayout<perfkit_sample>.size
    let bytes = headBytes + async.count + stack.count
    // After a loss nothing may follow: later entries count on the stacks of the lost ones.
    guard failure == nil, used + bytes <= Self.chunkBytes || turnChunk() else { return false }
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
    totalBytes += bytes
    return true
  }

  /// Calls `body` with each entry and the bytes behind it, in order.
  ///
  /// - Throws: `spool` when the file cannot be read back.
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
        try room.read(into: memory, bytes: part.bytes, at: offset)
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

  /// Makes room by keeping the current chunk in memory or writing it out.
  private func turnChunk() -> Bool {
    guard let memory = current else { return true }
    if take(Self.chunkBytes) {
      parts.append(Part(place: .memory(memory), bytes: used))
      current = nil
    } else {
      do {
        let offset = try room.write(memory, bytes: used)
        parts.append(Part(place: .file(offset: offset), bytes: used))
      } catch {
        failure = error
        return false
      }
    }
    used = 0
    return true
  }

  /// Lets go of the rest of the current chunk.
  ///
  /// Nothing is appended any more. Most processes of a build leave a small part of one, and there are thousands.
  func seal() {
    guard let memory = current else { return }
    if !take(used), let offset = try? room.write(memory, bytes: used) {
      parts.append(Part(place: .file(offset: offset), bytes: used))
    } else {
      // Where there is no room at all, these are not the samples to lose.
      let exact = UnsafeMutableRawPointer.allocate(byteCount: used, alignment: 16)
      exact.copyMemory(from: memory, byteCount: used)
      parts.append(Part(place: .memory(exact), bytes: used))
    }
    memory.deallocate()
    current = nil
    used = 0
  }

  private func take(_ bytes: Int) -> Bool {
    guard room.takeMemory(bytes) else { return false }
    taken += bytes
    return true
  }
}
