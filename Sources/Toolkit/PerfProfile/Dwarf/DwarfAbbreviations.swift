/// What the entries of a unit are made of (DWARF 5, 7.5.3).
struct DwarfAbbreviations {
  /// An attribute and how it is written.
  struct Attribute {
    let name: DwarfAttribute
    let form: DwarfForm
    /// The value itself, of those that have it here.
    let constant: Int64
  }

  /// One kind of entry.
  struct Entry {
    let tag: DwarfTag
    let hasChildren: Bool
    /// Whether it has addresses of its own.
    let isCode: Bool
    /// Bytes of its attributes; negative where they differ.
    let bytes: Int32
    /// Which of all attributes are its own.
    let attributes: Range<Int32>
  }

  /// How far numbers may leap.
  private static let gap = 64
  /// By number, from 1, as compilers number them; those that there are not have the tag 0.
  private var entries: [Entry] = []
  /// Of all entries, in one array: a program has tens of thousands.
  private var attributes: [Attribute] = []
  /// What it takes in its section.
  fileprivate let bytes: Int

  /// Reads a table; nil when it has a form that is not known, since nobody could read on behind it.
  init?(_ sections: DwarfSections, at offset: UInt64, addressBytes: UInt8) {
    let none = Entry(
      tag: DwarfTag(rawValue: 0), hasChildren: false, isCode: false, bytes: 0, attributes: 0..<0)
    var cursor = sections.cursor(sections.abbreviations, at: offset)
    while true {
      let code = cursor.unsigned()
      if code == 0 { break }
      guard code <= UInt64(entries.count + Self.gap), !cursor.isPastEnd else { return nil }
      let tag = DwarfTag(rawValue: cursor.unsigned())
      let hasChildren = cursor.load(as: UInt8.self) != 0
      let first = Int32(attributes.count)
      var bytes: Int32 = 0
      var isCode = false
      while true {
        let name = DwarfAttribute(rawValue: cursor.unsigned())
        let number = cursor.unsigned()
        if name.rawValue == 0, number == 0 { break }
        guard let form = DwarfForm(rawValue: UInt16(clamping: number)), !cursor.isPastEnd,
          attributes.count < 1 << 24
        else { return nil }
        let constant = form == .implicitConstant ? cursor.signed() : 0
        attributes.append(Attribute(name: name, form: form, constant: constant))
        if name == .lowAddress || name == .ranges { isCode = true }
        let size = form.bytes(addressBytes: addressBytes)
        bytes = bytes < 0 || size < 0 ? -1 : bytes + size
      }
      while entries.count < Int(code) { entries.append(none) }
      entries[Int(code) - 1] = Entry(
        tag: tag, hasChildren: hasChildren, isCode: isCode, bytes: bytes,
        attributes: first..<Int32(attributes.count))
    }
    bytes = cursor.offset - Int(clamping: offset)
  }

  @inline(__always)
  subscript(_ code: UInt64) -> Entry? {
    guard code > 0, code <= UInt64(entries.count) else { return nil }
    let entry = entries[Int(code) - 1]
    return entry.tag.rawValue == 0 ? nil : entry
  }

  /// The attributes of an entry.
  @inline(__always)
  func attributes(of entry: Entry) -> ArraySlice<Attribute> {
    attributes[Int(entry.attributes.lowerBound)..<Int(entry.attributes.upperBound)]
  }
}

/// The tables of a file by their offsets.
struct DwarfAbbreviationTables {
  private var tables: [UInt64: DwarfAbbreviations] = [:]
  private var bytes = 0

  /// Returns a table; nil when it cannot be read, or lies in others: those of a file that says so could
  /// take any time.
  mutating func table(
    at offset: UInt64, of sections: DwarfSections, addressBytes: UInt8
  ) -> DwarfAbbreviations? {
    if let table = tables[offset] { return table }
    let table = DwarfAbbreviations(sections, at: offset, addressBytes: addressBytes)
    bytes += table?.bytes ?? 0
    guard let table, bytes <= sections.abbreviations.count else { return nil }
    tables[offset] = table
    return table
  }
}
