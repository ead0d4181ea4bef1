/// Reads the bits of a scan: without stuffed bytes, up to the next marker.
///
/// Behind the last byte come zeros; ``count`` is negative once one of them was used.
///
/// Source: ITU T.81, F.2.2.5.
struct JPEGBitReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The next byte to be taken; it is never behind a marker.
  private(set) var position: Int
  /// The next bits, from the highest one down.
  private(set) var bits: UInt64 = 0
  /// How many of them are there.
  private(set) var count = 0

  /// Begins at a byte.
  init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Takes more bytes when fewer than 32 bits are left; there are 57 and more then, if possible.
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

  /// Steps over some bits, at most 63.
  @inline(__always)
  mutating func skip(_ length: Int) {
    bits &<<= UInt64(truncatingIfNeeded: length)
    count &-= length
  }

  /// Goes on behind a restart marker.
  ///
  /// - Parameter number: Which one must come next, 0 to 7.
  /// - Returns: False when something else comes.
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

  /// Whether one of eight bytes is FF: a carry comes out of a byte that is zero when inverted.
  @inline(__always)
  private static func hasMarkerPrefix(_ word: UInt64) -> Bool {
    (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 != 0
  }

  private mutating func refillByBytes() {
    while (0...56).contains(count), position < bytes.count {
      let byte = bytes[position]
      if byte == 0xFF {
        // FF 00 is a byte of the scan, FF and anything else a marker.
        guard position + 1 < bytes.count, bytes[position + 1] == 0 else { return }
        position += 1
      }
      position += 1
      bits |= UInt64(byte) << UInt64(56 - count)
      count += 8
    }
  }
}
