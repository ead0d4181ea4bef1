/// Reads the bytes of a `ByteWriter`; invalid bytes throw an error and never trap.
struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func byte() throws(BlobError) -> UInt8 {
    guard position < bytes.count else { throw .truncated(at: position) }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func varint() throws(BlobError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      // The tenth byte contains the 64th bit only.
      guard shift < 63 || next <= 1 else { throw .overlongNumber(at: position - 1) }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  mutating func zigzag() throws(BlobError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func delta(from previous: UInt64) throws(BlobError) -> UInt64 {
    previous &+ UInt64(bitPattern: try zigzag())
  }

  mutating func double() throws(BlobError) -> Double {
    var bits: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 8) {
      bits |= UInt64(try byte()) << UInt64(shift)
    }
    return Double(bitPattern: bits)
  }

  /// Reads the version of a format and the number of its elements.
  mutating func header(version: UInt8, smallestElement: Int) throws(BlobError) -> Int {
    let found = try byte()
    guard found == version else { throw .unknownVersion(found) }
    return try count(smallestElement: smallestElement)
  }

  /// Reads the number of elements that follow.
  ///
  /// Before memory is reserved, it is checked against the remaining bytes and an element's minimum.
  mutating func count(smallestElement: Int) throws(BlobError) -> Int {
    let count = try varint()
    guard count <= UInt64((bytes.count - position) / smallestElement) else {
      throw .impossibleCount(count)
    }
    return Int(count)
  }

  func finish() throws(BlobError) {
    guard position == bytes.count else { throw .trailingBytes(bytes.count - position) }
  }
}
