/// A compilation unit (DWARF 5, 7.5.1), and how its entries are read.
struct DwarfUnit {
  /// An attribute's value as it is written: a number, an offset or an index, by its form.
  typealias Value = (form: DwarfForm, number: UInt64)

  let sections: DwarfSections
  /// Where its header is in the section; what references within it count from.
  let offset: UInt64
  /// Past its last entry.
  let end: UInt64
  let version: UInt16
  private let tables: DwarfAbbreviationTables
  /// Where its table of abbreviations is.
  private let table: UInt64
  /// The first entry, which says what the unit is.
  let root: UInt64

  /// What the compiler was called in.
  private(set) var folder: String?
  /// The offset of its line program, or nil.
  private(set) var lines: UInt64?
  /// Its code, without order.
  private(set) var code: [Range<UInt64>] = []
  private var lowAddress: UInt64 = 0
  private var textOffsetsBase: UInt64 = 8
  private var addressesBase: UInt64 = 8
  private var rangeListsBase: UInt64 = 12

  /// A unit whose entries nobody can read, or whose entries are elsewhere.
  struct Unreadable: Error {}

  /// Reads a unit's header; nothing is known of its code until `readRoot`.
  ///
  /// - Returns: Nil for units without code, as those of types.
  /// - Throws: `Unreadable`.
  static func readHeader(
    _ sections: DwarfSections, at offset: UInt64, tables: DwarfAbbreviationTables
  ) throws(Unreadable) -> (unit: DwarfUnit?, end: UInt64) {
    var cursor = sections.cursor(sections.info, at: offset)
    let length = cursor.load(as: UInt32.self)
    // Longer ones are of the 64-bit format, which no compiler writes unless it is asked to.
    guard length < 0xffff_fff0 else { throw Unreadable() }
    let end = offset + 4 + UInt64(length)
    let version = cursor.load(as: UInt16.self)
    guard (3...5).contains(version), end <= UInt64(sections.info.count) else { throw Unreadable() }
    var kind: UInt8 = 1
    let table: UInt64
    let addressBytes: UInt8
    if version == 5 {
      kind = cursor.load()
      addressBytes = cursor.load()
      table = UInt64(cursor.load(as: UInt32.self))
    } else {
      table = UInt64(cursor.load(as: UInt32.self))
      addressBytes = cursor.load()
    }
    guard addressBytes == 8, !cursor.isPastEnd else { throw Unreadable() }
    switch kind {
    case 1, 3: break  // Whole or partial.
    case 2, 6: return (nil, end)  // Types.
    default: throw Unreadable()  // Entries are in another file.
    }
    let unit = DwarfUnit(
      sections: sections, offset: offset, end: end, version: version, tables: tables,
      table: table, root: UInt64(cursor.offset))
    return (unit, end)
  }

  private init(
    sections: DwarfSections, offset: UInt64, end: UInt64, version: UInt16,
    tables: DwarfAbbreviationTables, table: UInt64, root: UInt64
  ) {
    self.sections = sections
    self.offset = offset
    self.end = end
    self.version = version
    self.tables = tables
    self.table = table
    self.root = root
  }

  /// Reads the first entry.
  ///
  /// - Returns: False when nobody can read it, or what it says of its code is in another file.
  mutating func readRoot() -> Bool {
    var cursor = cursor(at: root)
    let number = cursor.unsigned()
    guard let abbreviations = tables.table(at: table, only: number) else { return false }
    guard let entry = abbreviations[number] else { return true }
    // Thousands of units have no code; before version 5 nothing that they say is needed elsewhere.
    if !entry.isCode && version < 5 { return true }
    // What indices count from may be said behind the first index.
    var (low, high, list, name): (Value?, Value?, Value?, Value?)
    var isElsewhere = false
    for attribute in abbreviations.attributes(of: entry) {
      let value = value(attribute, &cursor)
      switch attribute.name {
      case .lowAddress: low = value
      case .highAddress: high = value
      case .ranges: list = value
      case .folder: name = value
      case .lines: lines = value.number
      case .textOffsetsBase: textOffsetsBase = value.number
      case .addressesBase: addressesBase = value.number
      case .rangeListsBase: rangeListsBase = value.number
      case .splitFile, .splitFileOfGNU: isElsewhere = true
      default: break
      }
    }
    folder = name.flatMap(text)
    lowAddress = low.flatMap(address) ?? 0
    code = ranges(low: low, high: high, list: list)
    // Units of clang's modules are elsewhere, too, but have no code.
    return !isElsewhere || code.isEmpty
  }

  // MARK: - Values

  /// What its entries are made of; nil when nobody can read them.
  var abbreviations: DwarfAbbreviations? { tables.table(at: table) }

  /// Reads entries from an offset of the section on.
  func cursor(at offset: UInt64) -> DwarfCursor { sections.cursor(sections.info, at: offset) }

  /// Reads one attribute.
  @inline(__always)
  func value(_ attribute: DwarfAbbreviations.Attribute, _ cursor: inout DwarfCursor) -> Value {
    (attribute.form, number(attribute, &cursor))
  }

  /// Passes over all attributes of an entry.
  @inline(__always)
  func skip(
    _ entry: DwarfAbbreviations.Entry, of abbreviations: DwarfAbbreviations,
    _ cursor: inout DwarfCursor
  ) {
    if entry.bytes >= 0 { return cursor.skip(UInt64(entry.bytes)) }
    for attribute in abbreviations.attributes(of: entry) { _ = number(attribute, &cursor) }
  }

  private func number(
    _ attribute: DwarfAbbreviations.Attribute, _ cursor: inout DwarfCursor
  ) -> UInt64 {
    switch attribute.form {
    case .present: return 1
    case .implicitConstant: return UInt64(bitPattern: attribute.constant)
    case .text:
      let start = UInt64(cursor.offset)
      _ = cursor.text()
      return start
    case .signedData: return UInt64(bitPattern: cursor.signed())
    case .unsignedData, .unsignedReference, .textIndex, .addressIndex, .locationListIndex,
      .rangeListIndex:
      return cursor.unsigned()
    case .block, .expression: cursor.skip(cursor.unsigned())
    case .block1: cursor.skip(UInt64(cursor.load(as: UInt8.self)))
    case .block2: cursor.skip(UInt64(cursor.load(as: UInt16.self)))
    case .block4: cursor.skip(UInt64(cursor.load(as: UInt32.self)))
    case .data16: cursor.skip(16)
    case .data1, .flag, .reference1, .textIndex1, .addressIndex1:
      return UInt64(cursor.load(as: UInt8.self))
    case .data2, .reference2, .textIndex2, .addressIndex2:
      return UInt64(cursor.load(as: UInt16.self))
    case .textIndex3, .addressIndex3: return cursor.number(bytes: 3)
    case .data4, .reference4, .textOffset, .lineTextOffset, .sectionOffset, .sectionReference,
      .textIndex4, .addressIndex4, .sharedReference4, .sharedText, .sharedReferenceOfGNU,
      .sharedTextOfGNU:
      return UInt64(cursor.load(as: UInt32.self))
    case .data8, .reference8, .signature, .address, .sharedReference8: return cursor.load()
    }
    return 0
  }

  /// Returns the text that a value stands for, or nil.
  func text(_ value: Value) -> String? {
    switch value.form {
    case .text: return sections.text(sections.info, at: value.number)
    case .textOffset: return sections.text(sections.texts, at: value.number)
    case .lineTextOffset: return sections.text(sections.lineTexts, at: value.number)
    case .sharedText, .sharedTextOfGNU:
      return sections.sharedSections().flatMap { $0.text($0.texts, at: value.number) }
    case .textIndex, .textIndex1, .textIndex2, .textIndex3, .textIndex4:
      guard value.number < 1 << 32 else { return nil }
      var cursor = sections.cursor(
        sections.textOffsets, at: textOffsetsBase &+ value.number * 4)
      let offset = cursor.load(as: UInt32.self)
      return cursor.isPastEnd ? nil : sections.text(sections.texts, at: UInt64(offset))
    default: return nil
    }
  }

  /// Returns the offset in the section of the entry that a value refers to, or nil.
  func reference(_ value: Value) -> UInt64? {
    switch value.form {
    case .reference1, .reference2, .reference4, .reference8, .unsignedReference:
      let (sum, overflow) = offset.addingReportingOverflow(value.number)
      return overflow || sum >= end ? nil : sum
    case .sectionReference: return value.number
    default: return nil
    }
  }

  /// Returns the offset of the entry that a value refers to in the file that several share, or nil.
  func sharedReference(_ value: Value) -> UInt64? {
    switch value.form {
    case .sharedReference4, .sharedReference8, .sharedReferenceOfGNU: value.number
    default: nil
    }
  }

  /// Returns the address that a value stands for, or nil.
  func address(_ value: Value) -> UInt64? {
    value.form == .address ? value.number : value.form.isAddress ? address(value.number) : nil
  }

  private func address(_ index: UInt64) -> UInt64? {
    guard index < 1 << 32 else { return nil }
    var cursor = sections.cursor(sections.addresses, at: addressesBase &+ index * 8)
    let address = cursor.load(as: UInt64.self)
    return cursor.isPastEnd ? nil : address
  }

  // MARK: - Ranges

  /// Returns the code of an entry; what the linker has thrown away begins at 0.
  ///
  /// It has none when nothing may be read.
  func ranges(low: Value?, high: Value?, list: Value?) -> [Range<UInt64>] {
    if let list {
      return version < 5 ? oldRanges(at: list.number) : rangeList(list)
    }
    guard let low = low.flatMap(address), low > 0, let high else { return [] }
    let end = high.form.isAddress ? address(high) ?? 0 : low &+ high.number
    return low < end ? [low..<end] : []
  }

  /// Pairs of addresses that count from the unit's first one (DWARF 4, 2.17.3).
  private func oldRanges(at offset: UInt64) -> [Range<UInt64>] {
    guard !sections.allowance.isSpent else { return [] }
    var cursor = sections.cursor(sections.ranges, at: offset)
    defer { sections.allowance.take(from: Int(clamping: offset), to: cursor.offset) }
    var base = lowAddress
    var found: [Range<UInt64>] = []
    while !cursor.isPastEnd {
      let (low, high) = (cursor.load(as: UInt64.self), cursor.load(as: UInt64.self))
      if low == 0, high == 0 { break }
      if low == .max {
        base = high
      } else if base &+ low > 0, base &+ low < base &+ high {
        found.append((base &+ low)..<(base &+ high))
      }
    }
    return found
  }

  /// DWARF 5, 7.25.
  private func rangeList(_ list: Value) -> [Range<UInt64>] {
    var offset = list.number
    if list.form == .rangeListIndex {
      guard offset < 1 << 32 else { return [] }
      var cursor = sections.cursor(sections.rangeLists, at: rangeListsBase &+ offset * 4)
      offset = rangeListsBase &+ UInt64(cursor.load(as: UInt32.self))
    }
    guard !sections.allowance.isSpent else { return [] }
    var cursor = sections.cursor(sections.rangeLists, at: offset)
    defer { sections.allowance.take(from: Int(clamping: offset), to: cursor.offset) }
    var base = lowAddress
    var found: [Range<UInt64>] = []
    while !cursor.isPastEnd {
      let kind = cursor.load(as: UInt8.self)
      var (low, high): (UInt64, UInt64) = (0, 0)
      switch kind {
      case 1: base = address(cursor.unsigned()) ?? 0
      case 2:
        low = address(cursor.unsigned()) ?? 0
        high = address(cursor.unsigned()) ?? 0
      case 3:
        low = address(cursor.unsigned()) ?? 0
        high = low &+ cursor.unsigned()
      case 4:
        low = base &+ cursor.unsigned()
        high = base &+ cursor.unsigned()
      case 5: base = cursor.load()
      case 6:
        low = cursor.load()
        high = cursor.load()
      case 7:
        low = cursor.load()
        high = low &+ cursor.unsigned()
      default: return found
      }
      if low > 0, low < high { found.append(low..<high) }
    }
    return found
  }
}
