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

  /// How many numbers may be missing, besides as many as there are.
  private static let gap = 64
  /// Attributes of one kind of entry, several times what compilers write.
  ///
  /// Some take no bytes in an entry, and time all the same.
  private static let mostAttributes = 128
  /// Room for so many from the start: growing took longer than reading them.
  private static let usualEntries = 128
  /// The number of its first entry: compilers count from 1.
  private let first: UInt64
  /// By number; those that there are not have the tag 0.
  private var entries: [Entry] = []
  /// Of all entries, in one array: a program has tens of thousands.
  private var attributes: [Attribute] = []
  /// What it takes in its section.
  fileprivate private(set) var bytes = 0

  /// Reads a table; nil when it has a form that is not known, since nobody could read on behind it.
  ///
  /// - Parameters:
  ///   - sections: The sections of the file.
  ///   - offset: Where the table is.
  ///   - addressBytes: The size of an address.
  ///   - only: The number of the entry that is wanted, nil for all.
  init?(
    _ sections: DwarfSections, at offset: UInt64, addressBytes: UInt8, only: UInt64? = nil
  ) {
    first = only ?? 1
    if only == nil {
      entries.reserveCapacity(Self.usualEntries)
      attributes.reserveCapacity(Self.usualEntries * 6)
    }
    let none = Entry(
      tag: DwarfTag(rawValue: 0), hasChildren: false, isCode: false, bytes: 0, attributes: 0..<0)
    var cursor = sections.cursor(sections.abbreviations, at: offset)
    var count = 0
    while true {
      let code = cursor.unsigned()
      if code == 0 { break }
      if let only, code != only {
        guard Self.pass(&cursor) else { return nil }
        continue
      }
      let place = code - first
      guard place < UInt64(2 * count + Self.gap), !cursor.isPastEnd,
        let entry = readEntry(&cursor, addressBytes: addressBytes)
      else { return nil }
      count += 1
      while entries.count <= Int(place) { entries.append(none) }
      entries[Int(place)] = entry
      if only != nil { break }
    }
    bytes = cursor.offset - Int(clamping: offset)
  }

  private mutating func readEntry(_ cursor: inout DwarfCursor, addressBytes: UInt8) -> Entry? {
    let tag = DwarfTag(rawValue: cursor.unsigned())
    let hasChildren = cursor.load(as: UInt8.self) != 0
    let begin = Int32(attributes.count)
    var bytes: Int32 = 0
    var isCode = false
    while true {
      let name = DwarfAttribute(rawValue: cursor.unsigned())
      let number = cursor.unsigned()
      if name.rawValue == 0, number == 0 { break }
      guard let form = DwarfForm(rawValue: UInt16(clamping: number)), !cursor.isPastEnd,
        attributes.count < 1 << 24, attributes.count - Int(begin) < Self.mostAttributes
      else { return nil }
      let constant = form == .implicitConstant ? cursor.signed() : 0
      attributes.append(Attribute(name: name, form: form, constant: constant))
      if name == .lowAddress || name == .ranges { isCode = true }
      let size = form.bytes(addressBytes: addressBytes)
      bytes = bytes < 0 || size < 0 ? -1 : bytes + size
    }
    return Entry(
      tag: tag, hasChildren: hasChildren, isCode: isCode, bytes: bytes,
      attributes: begin..<Int32(attributes.count))
  }

  /// Passes over an entry behind its number; false when it is cut off.
  private static func pass(_ cursor: inout DwarfCursor) -> Bool {
    _ = cursor.unsigned()
    _ = cursor.load(as: UInt8.self)
    while !cursor.isPastEnd {
      let name = cursor.unsigned()
      let form = cursor.unsigned()
      if name == 0, form == 0 { return true }
      if form == UInt64(DwarfForm.implicitConstant.rawValue) { _ = cursor.signed() }
    }
    return false
  }

  @inline(__always)
  subscript(_ code: UInt64) -> Entry? {
    guard code >= first, code - first < UInt64(entries.count) else { return nil }
    let entry = entries[Int(code - first)]
    return entry.tag.rawValue == 0 ? nil : entry
  }

  /// The attributes of an entry.
  @inline(__always)
  func attributes(of entry: Entry) -> ArraySlice<Attribute> {
    attributes[Int(entry.attributes.lowerBound)..<Int(entry.attributes.upperBound)]
  }
}

/// The tables of a file by their offsets, and of most units the first entry alone.
final class DwarfAbbreviationTables {
  private struct Place: Hashable {
    let offset: UInt64
    let code: UInt64
  }

  private let sections: DwarfSections
  private let addressBytes: UInt8
  private var tables: [UInt64: DwarfAbbreviations?] = [:]
  private var entries: [Place: DwarfAbbreviations?] = [:]

  init(_ sections: DwarfSections, addressBytes: UInt8) {
    self.sections = sections
    self.addressBytes = addressBytes
  }

  /// Returns a table; nil when it cannot be read.
  func table(at offset: UInt64) -> DwarfAbbreviations? {
    if let table = tables[offset] { return table }
    let table = read(at: offset, only: nil)
    tables[offset] = .some(table)
    return table
  }

  /// Returns a table with one of its entries; nil when it cannot be read.
  func table(at offset: UInt64, only code: UInt64) -> DwarfAbbreviations? {
    let place = Place(offset: offset, code: code)
    if let table = entries[place] { return table }
    let table = read(at: offset, only: code)
    entries[place] = .some(table)
    return table
  }

  private func read(at offset: UInt64, only code: UInt64?) -> DwarfAbbreviations? {
    guard !sections.allowance.isSpent else { return nil }
    let table = DwarfAbbreviations(
      sections, at: offset, addressBytes: addressBytes, only: code)
    // How far one was read that cannot be is not known.
    sections.allowance.take(from: 0, to: table?.bytes ?? sections.abbreviations.count)
    return table
  }
}
