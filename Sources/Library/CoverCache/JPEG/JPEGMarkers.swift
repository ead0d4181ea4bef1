internal import Glibc

/// Walks through the markers of a JPEG file.
///
/// Source: ITU T.81, annex B.
struct JPEGMarkers {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The position after the last marker or segment.
  private(set) var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Returns whether all segments and scans of a file are followed by the end marker.
  static func hasEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var markers = JPEGMarkers(bytes)
    while let marker = markers.next() {
      switch marker {
      case 0x01, 0xD0...0xD8: continue
      case 0xD9: return true
      default:
        guard markers.segment() != nil else { return false }
        if marker == 0xDA { markers.skipData() }
      }
    }
    return false
  }

  /// Skips to the next marker and returns its second byte; nil at the end of the file.
  mutating func next() -> UInt8? {
    while let place = nextPrefix(), place + 1 < bytes.count {
      position = place + 1
      // FF before another FF is padding.
      guard bytes[position] != 0, bytes[position] != 0xFF else { continue }
      position += 1
      return bytes[position - 1]
    }
    position = bytes.count
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

  /// Skips the data of a scan, up to the next marker that is no restart marker.
  mutating func skipData() {
    while let place = nextPrefix(), place + 1 < bytes.count {
      switch bytes[place + 1] {
      case 0, 0xD0...0xD7: position = place + 2
      case 0xFF: position = place + 1
      default:
        position = place
        return
      }
    }
    position = bytes.count
  }

  mutating func skip(to position: Int) { self.position = max(self.position, position) }

  /// Returns the position of the next FF.
  private func nextPrefix() -> Int? {
    guard position < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + position, 0xFF, bytes.count - position)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
