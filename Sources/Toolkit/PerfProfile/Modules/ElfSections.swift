extension ElfImage {
  /// The longest name in bytes, several times the length of any name that is looked up.
  ///
  /// A damaged file may give the same huge name to all of its sections.
  private static let mostNameBytes = 128

  /// A section of the file.
  struct Section: Hashable, Sendable {
    let type: UInt32
    let address: UInt64
    let offset: Int
    let bytes: Int
    /// The index of the section that it refers to.
    let link: Int
    let entryBytes: Int
    /// Whether its bytes are compressed.
    let isCompressed: Bool

    /// The range of its bytes in the file.
    var range: Range<Int> { offset..<(offset + bytes) }
  }

  /// Reads the section headers; empty if the file has none or they are cut off.
  func sections() -> [(name: String, section: Section)] {
    let reader = ByteReader(bytes: memory.bytes)
    guard let table = reader.size(40), table > 0, reader.load(58, as: UInt16.self) == 64,
      let count = reader.load(60, as: UInt16.self),
      let namesIndex = reader.load(62, as: UInt16.self), namesIndex < count,
      reader.slice(table, Int(count) * 64) != nil
    else { return [] }
    let namesOffset = reader.size(table + Int(namesIndex) * 64 + 24) ?? 0
    return (0..<Int(count)).map { index in
      let header = table + index * 64
      let type = reader.load(header + 4, as: UInt32.self) ?? 0
      let offset = reader.size(header + 24)
      let bytes = reader.size(header + 32)
      let isThere = offset.flatMap { offset in bytes.flatMap { reader.slice(offset, $0) } } != nil
      // Sections without bytes in the file (type 8) keep their place because links are indices.
      let section = Section(
        type: type, address: reader.load(header + 16) ?? 0, offset: isThere ? offset ?? 0 : 0,
        bytes: isThere && type != 8 ? bytes ?? 0 : 0,
        link: Int(reader.load(header + 40, as: UInt32.self) ?? 0),
        entryBytes: reader.size(header + 56) ?? 0,
        isCompressed: (reader.load(header + 8, as: UInt64.self) ?? 0) & 0x800 != 0)
      let name = reader.load(header, as: UInt32.self).flatMap {
        reader.text(namesOffset + Int($0), shorterThan: Self.mostNameBytes)
      }
      return (name ?? "", section)
    }
  }
}
