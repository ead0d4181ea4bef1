import CoverCache

/// Returns a segment of a JPEG file: marker, length and content.
func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
  [0xFF, marker] + bigEndian(content.count + 2, bytes: 2) + content
}

/// Returns a number with its high byte first.
func bigEndian(_ value: Int, bytes: Int) -> [UInt8] {
  (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Returns an APP1 segment with an orientation as its only entry.
func exif(_ orientation: Int, isBigEndian: Bool = true, type: Int = 3) -> [UInt8] {
  func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    let high = bigEndian(value, bytes: bytes)
    return isBigEndian ? high : high.reversed()
  }
  let length = [1: 1, 3: 2, 4: 4][type] ?? 4
  let value = number(orientation, length) + Array(repeating: 0, count: 4 - length)
  let entry = number(0x0112, 2) + number(type, 2) + number(1, 4) + value
  let header = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
  return segment(
    0xE1, Array("Exif\0\0".utf8) + header + number(1, 2) + entry + number(0, 4))
}

extension [UInt8] {
  /// Returns a JPEG file with other segments at its beginning.
  func adding(_ segments: [UInt8]) -> [UInt8] { Array(self[..<2] + segments + self[2...]) }

  /// Returns the position of a marker before the first scan's data; nil when there is none.
  func position(of marker: UInt8) -> Int? {
    var position = 2
    while position + 3 < count, self[position + 1] != marker {
      guard self[position + 1] != 0xDA else { return nil }
      position += 2 + Int(self[position + 2]) << 8 + Int(self[position + 3])
    }
    return position + 3 < count ? position : nil
  }

  /// Returns a JPEG file without a segment before its first scan.
  func removing(_ marker: UInt8) -> [UInt8] {
    guard let start = position(of: marker) else { return self }
    let length = 2 + Int(self[start + 2]) << 8 + Int(self[start + 3])
    return Array(self[..<start] + self[(start + length)...])
  }

  /// Returns a JPEG file with other bytes at a distance from a marker.
  func replacing(_ marker: UInt8, at offset: Int, with bytes: [UInt8]) -> [UInt8] {
    guard let start = position(of: marker) else { return self }
    var result = self
    result.replaceSubrange(start + offset..<start + offset + bytes.count, with: bytes)
    return result
  }
}
