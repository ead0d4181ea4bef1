/// Collects the bytes of a blob; numbers are LEB128 varints, least significant group first.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Appends 1 to 10 bytes of seven bits each.
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed number; small magnitudes take few bytes.
  mutating func appendZigzag(_ value: Int64) {
    appendVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Appends the distance of a number from the previous one, which may wrap around.
  mutating func appendDelta(from previous: UInt64, to value: UInt64) {
    appendZigzag(Int64(bitPattern: value &- previous))
  }

  /// Appends the eight bytes of a double, least significant first.
  mutating func appendDouble(_ value: Double) {
    var bits = value.bitPattern
    for _ in 0..<8 {
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
    }
  }
}
