/// Walks through the markers of a JPEG file.
///
/// Source: ITU T.81, annex B.
struct JPEGMarkers {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The position after the last marker or segment.
  private(set) var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Skips to the next marker and returns its second byte; nil at the end of the file.
  mutating func next() -> UInt8? {
    while position + 1 < bytes.count {
      let (first, second) = (bytes[position], bytes[position + 1])
      position += 1
      // FF before another FF is padding.
      guard first == 0xFF, second != 0, second != 0xFF else { continue }
      position += 1
      return second
    }
    return nil
  }

  /// Returns the content of the segment without its length; nil when the file is truncated.
  mutating func segment() -> Slice<UnsafeBufferPointer<UInt8>>? {
    guard position + 2 <= bytes.count else { return nil }
    let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
    guard length >= 2, position + length <= bytes.count else { return nil }
    defer { position += length }
    return bytes[position + 2..<position + length]
  }

  mutating func skip(to position: Int) { self.position = max(self.position, position) }
}
