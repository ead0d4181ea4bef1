/// Builds the unwind search table of a file that was linked without `.eh_frame_hdr`, as static programs
/// are.
///
/// Linux Standard Base, core, describes `.eh_frame` in 10.6.1 and the pointer encodings in 10.5. This type
/// reads the encodings that compilers write on 64-bit Linux: pointers of 4 or 8 bytes, absolute or
/// relative to themselves.
struct UnwindTableBuilder {
  private let reader: ByteReader
  private let section: ElfImage.Section
  /// The encoding of code addresses by the offset of the common information entry.
  private var encodings: [Int: UInt8] = [:]

  /// Returns pairs of 32-bit offsets (code, description) from `base`, sorted by code address; nil if the
  /// file has no unwind information.
  static func table(of image: ElfImage, base: UInt64) -> [Int32]? {
    guard let section = image.sections().first(where: { $0.name == ".eh_frame" })?.section,
      section.bytes > 0
    else { return nil }
    var builder = Self(reader: ByteReader(bytes: image.memory.bytes), section: section)
    let entries = builder.entries().compactMap { code, description -> (Int32, Int32)? in
      guard let code = Int32(exactly: Int64(bitPattern: code &- base)),
        let description = Int32(exactly: Int64(bitPattern: description &- base))
      else { return nil }
      return (code, description)
    }
    let sorted = entries.sorted { $0.0 < $1.0 }
    return sorted.isEmpty ? nil : sorted.flatMap { [$0.0, $0.1] }
  }

  private init(reader: ByteReader, section: ElfImage.Section) {
    self.reader = reader
    self.section = section
  }

  private mutating func entries() -> [(code: UInt64, description: UInt64)] {
    var found: [(code: UInt64, description: UInt64)] = []
    var offset = section.offset
    let end = section.offset + section.bytes
    // A length of 0 ends the section. 2^32 - 1 announces the 64-bit form, which no compiler writes.
    while offset + 8 <= end, let length = reader.load(offset, as: UInt32.self), length >= 4,
      length != .max, Int(length) <= end - offset - 4,
      let identity = reader.load(offset + 4, as: UInt32.self)
    {
      if identity == 0 {
        encodings[offset] = encoding(ofCommon: offset)
      } else if let encoding = encodings[offset + 4 - Int(identity)],
        let code = pointer(offset + 8, encoding: encoding), code != 0
      {
        found.append((code, address(of: offset)))
      }
      offset += 4 + Int(length)
    }
    return found
  }

  private func address(of offset: Int) -> UInt64 {
    // The section's address is unchecked input, so this addition may wrap around.
    section.address &+ UInt64(offset - section.offset)
  }

  private func pointer(_ offset: Int, encoding: UInt8) -> UInt64? {
    let value: UInt64?
    switch encoding & 0x0f {
    case 0x00, 0x04, 0x0c: value = reader.load(offset, as: UInt64.self)
    case 0x03: value = reader.load(offset, as: UInt32.self).map(UInt64.init)
    case 0x0b: value = reader.load(offset, as: Int32.self).map { UInt64(bitPattern: Int64($0)) }
    default: value = nil
    }
    return switch encoding & 0x70 {
    case 0x00: value
    case 0x10: value.map { $0 &+ address(of: offset) }
    default: nil
    }
  }

  /// Returns the encoding of code addresses in a common information entry.
  private func encoding(ofCommon start: Int) -> UInt8? {
    var offset = start + 8
    guard reader.load(offset, as: UInt8.self) == 1 || reader.load(offset, as: UInt8.self) == 3,
      let augmentation = reader.text(offset + 1)
    else { return nil }
    offset += 2 + augmentation.utf8.count
    guard augmentation.hasPrefix("z") else { return augmentation.isEmpty ? 0 : nil }
    // Skip code and data alignment, the return address's register and the length of the rest.
    for _ in 0..<4 {
      guard reader.unsignedLEB(&offset) != nil else { return nil }
    }
    for letter in augmentation.dropFirst() {
      switch letter {
      case "R": return reader.load(offset, as: UInt8.self)
      case "L": offset += 1
      case "P":
        guard let encoding = reader.load(offset, as: UInt8.self) else { return nil }
        offset += 1 + ([0x03, 0x0b].contains(encoding & 0x0f) ? 4 : 8)
      default: break
      }
    }
    return 0
  }
}
