/// Walks through a JPEG file from marker to marker.
///
/// Source: ITU T.81, annex B.
struct JPEGMarkers {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The byte behind the last marker or segment.
  private(set) var position = 0

  /// Begins at the first byte.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Goes on to the next marker, over whatever is none, and returns its second byte; nil at the end.
  mutating func next() -> UInt8? {
    while position + 1 < bytes.count {
      let (first, second) = (bytes[position], bytes[position + 1])
      position += 1
      // FF before another FF only fills.
      guard first == 0xFF, second != 0, second != 0xFF else { continue }
      position += 1
      return second
    }
    return nil
  }

  /// Returns the bytes that belong to a marker, behind their length; nil when the file ends before.
  mutating func segment() -> Slice<UnsafeBufferPointer<UInt8>>? {
    guard position + 2 <= bytes.count else { return nil }
    let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
    guard length >= 2, position + length <= bytes.count else { return nil }
    defer { position += length }
    return bytes[position + 2..<position + length]
  }

  /// Goes on from a byte further on.
  mutating func skip(to position: Int) {
    self.position = max(self.position, position)
  }
}
