/// Reads a debug section from some place on.
///
/// Behind the end it reads zeros and says so: what was read until then is as good as before.
struct DwarfCursor {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset: Int
  private(set) var isPastEnd = false

  /// Begins at an offset, which may lie anywhere.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    self.bytes = bytes
    self.offset = offset
    if offset < 0 || offset > bytes.count { fail() }
  }

  @inline(__always)
  mutating func load<Value: FixedWidthInteger & BitwiseCopyable>(
    as type: Value.Type = Value.self
  ) -> Value {
    let count = MemoryLayout<Value>.size
    guard count <= bytes.count - offset else {
      fail()
      return 0
    }
    let value = bytes.loadUnaligned(fromByteOffset: offset, as: type)
    offset += count
    return Value(littleEndian: value)
  }

  /// Reads a number of 1 to 8 bytes.
  mutating func number(bytes count: Int) -> UInt64 {
    switch count {
    case 1: return UInt64(load(as: UInt8.self))
    case 2: return UInt64(load(as: UInt16.self))
    case 4: return UInt64(load(as: UInt32.self))
    case 8: return load()
    default:
      var value: UInt64 = 0
      for place in 0..<count { value |= UInt64(load(as: UInt8.self)) << (8 * UInt64(place)) }
      return value
    }
  }

  @inline(__always)
  mutating func unsigned() -> UInt64 {
    let first = load(as: UInt8.self)
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7f)
    var shift: UInt64 = 7
    while true {
      let byte = load(as: UInt8.self)
      if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  mutating func signed() -> Int64 {
    var value: Int64 = 0
    var shift: Int64 = 0
    while true {
      let byte = load(as: UInt8.self)
      if shift < 64 { value |= Int64(byte & 0x7f) << shift }
      shift += 7
      if byte < 0x80 {
        return shift < 64 && byte & 0x40 != 0 ? value | -1 << shift : value
      }
    }
  }

  /// Reads a zero-terminated text.
  mutating func text() -> UnsafeRawBufferPointer {
    let start = offset
    while load(as: UInt8.self) != 0 {}
    let end = isPastEnd ? offset : offset - 1
    return UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, end)])
  }

  @inline(__always)
  mutating func skip(_ count: UInt64) {
    guard count <= UInt64(bytes.count - offset) else { return fail() }
    offset += Int(count)
  }

  private mutating func fail() {
    offset = bytes.count
    isPastEnd = true
  }
}
