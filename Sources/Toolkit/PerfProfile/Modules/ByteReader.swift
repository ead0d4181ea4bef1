internal import Glibc

/// Bounded reads of a file's bytes, which return nil if the file is too short.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer

  func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type = Value.self) -> Value? {
    guard offset >= 0, bytes.count >= MemoryLayout<Value>.size,
      offset <= bytes.count - MemoryLayout<Value>.size
    else { return nil }
    return bytes.loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// Returns a 64-bit offset or size; nil if it exceeds the size of the file.
  func size(_ offset: Int) -> Int? {
    guard let value = load(offset, as: UInt64.self), value <= UInt64(bytes.count) else {
      return nil
    }
    return Int(value)
  }

  /// Returns a range of the bytes; nil if it exceeds the file.
  func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer? {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      return nil
    }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
  }

  /// Returns the zero-terminated text at an offset; nil if it is not shorter than `limit` bytes.
  func text(_ offset: Int, shorterThan limit: Int = .max) -> String? {
    guard offset >= 0, offset < bytes.count, let start = bytes.baseAddress.map({ $0 + offset }),
      let end = memchr(start, 0, min(limit, bytes.count - offset))
    else { return nil }
    let text = UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start)
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads an unsigned LEB128 number and moves the offset after it.
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
