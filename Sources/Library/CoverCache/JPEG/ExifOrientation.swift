/// Reads numbers of Exif data, which are a small TIFF file.
///
/// Every read is checked against the end of the data, because phones and editors write damaged
/// data.
///
/// Source: TIFF 6.0, section 2; CIPA DC-008-2023 (Exif 3.0), 4.5 and 4.7.2.
struct ExifOrientation {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let isBigEndian: Bool

  /// Returns the orientation in an APP1 segment; nil when it has none or is damaged.
  static func read(_ segment: Slice<UnsafeBufferPointer<UInt8>>) -> PictureOrientation? {
    // The byte after the zero is padding, which not every program writes as zero.
    guard segment.starts(with: Array("Exif\0".utf8)) else { return nil }
    return ExifOrientation(UnsafeBufferPointer(rebasing: segment.dropFirst(6)))?.value
  }

  private init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    switch Array(bytes.prefix(2)) {
    case Array("II".utf8): isBigEndian = false
    case Array("MM".utf8): isBigEndian = true
    default: return nil
    }
    guard number(at: 2, bytes: 2) == 42 else { return nil }
  }

  private static let tag = 0x0112

  private var value: PictureOrientation? {
    guard let directory = number(at: 4, bytes: 4), let count = number(at: directory, bytes: 2)
    else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = number(at: entry, bytes: 2) else { return nil }
      if tag == Self.tag { return orientation(at: entry) }
    }
    return nil
  }

  private func orientation(at entry: Int) -> PictureOrientation? {
    // The standard demands a SHORT; some programs write a BYTE or a LONG.
    let lengths = [1: 1, 3: 2, 4: 4]
    guard let type = number(at: entry + 2, bytes: 2), let length = lengths[type],
      number(at: entry + 4, bytes: 4) == 1, let value = number(at: entry + 8, bytes: length)
    else { return nil }
    return UInt8(exactly: value).flatMap { PictureOrientation(rawValue: $0) }
  }

  /// Returns an unsigned number of 1 to 4 bytes; nil beyond the end of the data.
  private func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset <= bytes.count - count else { return nil }
    let part = bytes[offset..<offset + count]
    return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }
}
