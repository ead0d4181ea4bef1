/// Reads the bits of a JPEG scan up to the next marker and removes stuffed bytes.
///
/// After the last byte the reader delivers zeros; ``count`` is negative once such a zero was used.
///
/// Source: ITU T.81, F.2.2.5.
struct JPEGBitReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The position of the next byte, never beyond a marker.
  private(set) var position: Int
  /// The next bits, starting at the most significant one.
  private(set) var bits: UInt64 = 0
  /// The number of valid bits in ``bits``.
  private(set) var count = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Loads bytes when fewer than 32 bits are left; afterwards at least 57 are valid if possible.
  @inline(__always)
  mutating func refill() {
    guard count < 32 else { return }
    if position &+ 8 <= bytes.count, count >= 0, let start = bytes.baseAddress {
      let word = UInt64(
        bigEndian: UnsafeRawPointer(start + position).loadUnaligned(as: UInt64.self))
      if !JPEGBitReader.hasMarkerPrefix(word) {
        let taken = (63 &- count) >> 3
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        position &+= taken
        count &+= taken &* 8
        return
      }
    }
    refillByBytes()
  }

  /// Skips at most 63 bits.
  @inline(__always)
  mutating func skip(_ length: Int) {
    bits &<<= UInt64(truncatingIfNeeded: length)
    count &-= length
  }

  /// Skips the restart marker of a number, 0 to 7; returns false when the next marker is another.
  mutating func restart(_ number: Int) -> Bool {
    guard (0..<8).contains(count) else { return false }
    while position + 1 < bytes.count, bytes[position] == 0xFF, bytes[position + 1] == 0xFF {
      position += 1
    }
    guard position + 1 < bytes.count, bytes[position] == 0xFF,
      Int(bytes[position + 1]) == 0xD0 + number
    else { return false }
    position += 2
    bits = 0
    count = 0
    return true
  }

  /// Returns whether any of eight bytes is FF: zero after inversion, which the subtraction detects.
  @inline(__always)
  private static func hasMarkerPrefix(_ word: UInt64) -> Bool {
    (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 != 0
  }

  private mutating func refillByBytes() {
    while (0...56).contains(count), position < bytes.count {
      let byte = bytes[position]
      if byte == 0xFF {
        // FF 00 is a data byte of the scan; FF with another byte is a marker.
        guard position + 1 < bytes.count, bytes[position + 1] == 0 else { return }
        position += 1
      }
      position += 1
      bits |= UInt64(byte) << UInt64(56 - count)
      count += 8
    }
  }
}
