/// Bounded reads of a foreign file's bytes: nil instead of a crash where it is too short.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer

  func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type = Value.self) -> Value? {
    guard offset >= 0, bytes.count >= MemoryLayout<Value>.size,
      offset <= bytes.count - MemoryLayout<Value>.size
    else { return nil }
    return bytes.loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// Returns a 64-bit field of the file that must fit the file, as an offset or a size does.
  func size(_ offset: Int) -> Int? {
    guard let value = load(offset, as: UInt64.self), value <= UInt64(bytes.count) else {
      return nil
    }
    return Int(value)
  }

  /// Returns part of the bytes, or nil when they are not all there.
  func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer? {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      return nil
    }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
  }

  /// Returns the zero-terminated text at an offset; nil when it is not shorter than some bytes.
  func text(_ offset: Int, shorterThan limit: Int = .max) -> String? {
    guard offset >= 0, offset < bytes.count else { return nil }
    let tail = bytes[offset...].prefix(limit)
    guard let end = tail.firstIndex(of: 0) else { return nil }
    return String(decoding: tail[..<end], as: UTF8.self)
  }

  /// Reads an unsigned LEB128 and moves the offset behind it.
  func unsignedLEB(_ offset: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = load(offset, as: UInt8.self), shift < 64 {
      offset += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
    return nil
  }
}
