/// The line table of a unit (DWARF 5, 6.2): which line each instruction comes from.
struct DwarfLines {
  /// Holds from its address up to the next row's.
  private struct Row {
    let address: UInt64
    let file: UInt32
    let line: UInt32
  }

  /// Rows that ascend, with the end of their code.
  private struct Sequence {
    let addresses: Range<UInt64>
    let rows: Range<Int>
  }

  /// Where a text is, which is read when it is asked for: all files may have the same long one.
  private struct Text {
    let section: DwarfSection
    let offset: UInt64
  }

  private struct File {
    let name: Text?
    let folder: UInt64
  }

  private let isZeroBased: Bool
  /// What relative folders are in.
  private let root: String?
  private let folders: [Text?]
  private let files: [File]
  private let sections: DwarfSections
  private var rows: [Row] = []
  private var sequences: [Sequence] = []

  /// Runs the line program of a unit; nil when it is of a form that is not known, or nothing may be
  /// read.
  init?(of unit: DwarfUnit) {
    let allowance = unit.sections.allowance
    guard let offset = unit.lines, !allowance.isSpent else { return nil }
    sections = unit.sections
    var cursor = sections.cursor(sections.lines, at: offset)
    defer { allowance.take(from: Int(clamping: offset), to: cursor.offset) }
    let length = cursor.load(as: UInt32.self)
    let end = cursor.offset + Int(length)
    let version = cursor.load(as: UInt16.self)
    guard length < 0xffff_fff0, end <= sections.lines.count, (2...5).contains(version) else {
      return nil
    }
    if version == 5 { cursor.skip(2) }  // Sizes of addresses and of segments.
    let headerBytes = cursor.load(as: UInt32.self)
    let program = cursor.offset + Int(headerBytes)
    var machine = Machine(version: version, &cursor)
    guard machine.lineRange > 0, machine.firstSpecial > 0 else { return nil }
    isZeroBased = version == 5
    if version == 5 {
      guard let folderEntries = Self.entries(unit, &cursor),
        let fileEntries = Self.entries(unit, &cursor)
      else { return nil }
      folders = folderEntries.map(\.name)
      files = fileEntries
    } else {
      (folders, files) = Self.oldEntries(unit, &cursor)
    }
    root = unit.folder
    guard !cursor.isPastEnd, program <= end else { return nil }
    allowance.take(from: program, to: end)
    var instructions = sections.cursor(sections.lines, at: UInt64(program))
    // Most rows take one to three bytes.
    rows.reserveCapacity((end - program) / 2)
    machine.run(&instructions, until: end, &rows, &sequences)
    sequences.sort { $0.addresses.lowerBound < $1.addresses.lowerBound }
  }

  /// Returns the file's number and the line that an instruction comes from, or nil.
  ///
  /// - Complexity: O(log *n*).
  func line(at address: UInt64) -> (file: UInt64, line: Int)? {
    let place = lastIndex(of: sequences.indices) {
      sequences[$0].addresses.lowerBound <= address
    }
    guard let place, sequences[place].addresses.contains(address),
      let row = lastIndex(of: sequences[place].rows, where: { rows[$0].address <= address })
    else { return nil }
    return (UInt64(rows[row].file), Int(rows[row].line))
  }

  /// Returns the path of a file by its number, or nil for none.
  func path(ofFile number: UInt64) -> String? {
    guard let index = Int(exactly: isZeroBased ? number : number &- 1),
      files.indices.contains(index)
    else { return nil }
    let name = string(files[index].name)
    if LLVMSymbolizer.isCompilers(name) { return nil }
    if name.hasPrefix("/") { return name }
    let number = isZeroBased ? files[index].folder : files[index].folder &- 1
    let place = Int(exactly: number).flatMap { folders.indices.contains($0) ? $0 : nil }
    let folder = place.map { string(folders[$0]) } ?? ""
    // In version 5 the first folder is what the compiler was called in, relative or not.
    let isWhole = folder.hasPrefix("/") || isZeroBased && place == 0
    let parts = isWhole ? [folder, name] : [root ?? "", folder, name]
    // The root was read once, and is in all of its files' paths.
    if !isWhole { sections.allowance.take(from: 0, to: root?.utf8.count ?? 0) }
    return parts.filter { !$0.isEmpty }.joined(separator: "/")
  }

  private func string(_ text: Text?) -> String {
    text.flatMap { sections.text($0.section, at: $0.offset) } ?? ""
  }

  // MARK: - Names

  /// Reads folders or files as version 5 writes them: first of what each is made, then all.
  private static func entries(_ unit: DwarfUnit, _ cursor: inout DwarfCursor) -> [File]? {
    var columns: [(content: UInt64, form: DwarfForm)] = []
    for _ in 0..<cursor.load(as: UInt8.self) {
      let content = cursor.unsigned()
      guard let form = DwarfForm(rawValue: UInt16(truncatingIfNeeded: cursor.unsigned())) else {
        return nil
      }
      columns.append((content, form))
    }
    let count = cursor.unsigned()
    let sections = unit.sections
    // Each takes some bytes; more of them than bytes is a lie.
    guard count <= UInt64(sections.lines.count) else { return nil }
    var found: [File] = []
    while found.count < count {
      var name: Text?
      var folder: UInt64 = 0
      for (content, form) in columns {
        switch (content, form) {
        case (1, .text):
          name = Text(section: sections.lines, offset: UInt64(cursor.offset))
          _ = cursor.text()
        case (1, .textOffset), (1, .lineTextOffset):
          name = Text(
            section: form == .textOffset ? sections.texts : sections.lineTexts,
            offset: UInt64(cursor.load(as: UInt32.self)))
        case (1, _): return nil
        case (2, .unsignedData): folder = cursor.unsigned()
        case (2, .data1), (2, .data2):
          folder = cursor.number(bytes: form == .data1 ? 1 : 2)
        case (_, .text): _ = cursor.text()
        case (_, .unsignedData): _ = cursor.unsigned()
        case (_, .block): cursor.skip(cursor.unsigned())
        default:
          let bytes = form.bytes(addressBytes: 8)
          guard bytes > 0 else { return nil }
          cursor.skip(UInt64(bytes))
        }
      }
      if cursor.isPastEnd || columns.isEmpty { return nil }
      found.append(File(name: name, folder: folder))
    }
    return found
  }

  /// Reads folders and files as versions up to 4 write them, each list up to an empty name.
  private static func oldEntries(
    _ unit: DwarfUnit, _ cursor: inout DwarfCursor
  ) -> (folders: [Text?], files: [File]) {
    let section = unit.sections.lines
    var folders: [Text?] = []
    while true {
      let text = Text(section: section, offset: UInt64(cursor.offset))
      if cursor.text().isEmpty { break }
      folders.append(text)
    }
    var files: [File] = []
    while true {
      let name = Text(section: section, offset: UInt64(cursor.offset))
      if cursor.text().isEmpty { break }
      let folder = cursor.unsigned()
      _ = (cursor.unsigned(), cursor.unsigned())  // Its time and its size.
      files.append(File(name: name, folder: folder))
    }
    return (folders, files)
  }

  // MARK: - The program

  /// The registers and the parameters of the machine that line programs are written for.
  private struct Machine {
    let lineBase: Int64
    let lineRange: UInt64
    let firstSpecial: UInt8
    private let instructionBytes: UInt64
    /// Operands of each standard instruction, from the first one on.
    private var operands: [UInt8] = []

    private var address: UInt64 = 0
    private var file: UInt64 = 1
    private var line: Int64 = 1

    init(version: UInt16, _ cursor: inout DwarfCursor) {
      instructionBytes = UInt64(cursor.load(as: UInt8.self))
      // Instructions of one word at most: that is what all architectures of ours have.
      if version >= 4 { cursor.skip(1) }
      cursor.skip(1)
      lineBase = Int64(cursor.load(as: Int8.self))
      lineRange = UInt64(cursor.load(as: UInt8.self))
      firstSpecial = cursor.load()
      for _ in 1..<max(1, firstSpecial) { operands.append(cursor.load()) }
    }

    mutating func run(
      _ cursor: inout DwarfCursor, until end: Int, _ rows: inout [Row],
      _ sequences: inout [Sequence]
    ) {
      var first = rows.count
      while cursor.offset < end, !cursor.isPastEnd {
        let code = cursor.load(as: UInt8.self)
        if code >= firstSpecial {
          let step = UInt64(code - firstSpecial)
          address &+= step / lineRange &* instructionBytes
          line &+= lineBase &+ Int64(step % lineRange)
          append(to: &rows)
          continue
        }
        switch code {
        case 0: extended(&cursor, &first, &rows, &sequences)
        case 1: append(to: &rows)
        case 2: address &+= cursor.unsigned() &* instructionBytes
        case 3: line &+= cursor.signed()
        case 4: file = cursor.unsigned()
        case 8: address &+= UInt64(255 - firstSpecial) / lineRange &* instructionBytes
        case 9: address &+= UInt64(cursor.load(as: UInt16.self))
        default:
          for _ in 0..<operands[Int(code) - 1] { _ = cursor.unsigned() }
        }
      }
      rows.removeSubrange(first...)
    }

    private mutating func extended(
      _ cursor: inout DwarfCursor, _ first: inout Int, _ rows: inout [Row],
      _ sequences: inout [Sequence]
    ) {
      let length = cursor.unsigned()
      let begin = cursor.offset
      guard length > 0, !cursor.isPastEnd else { return }
      switch cursor.load(as: UInt8.self) {
      case 1:
        finish(&first, &rows, &sequences)
      case 2 where length == 9: address = cursor.load()
      default: break
      }
      let done = UInt64(cursor.offset - begin)
      if length > done { cursor.skip(length - done) }
    }

    /// Ends a sequence; one that begins at 0 is of code that the linker has thrown away.
    private mutating func finish(
      _ first: inout Int, _ rows: inout [Row], _ sequences: inout [Sequence]
    ) {
      if first < rows.count, rows[first].address > 0, rows[first].address < address {
        sequences.append(
          Sequence(addresses: rows[first].address..<address, rows: first..<rows.count))
        first = rows.count
      } else {
        rows.removeSubrange(first...)
      }
      address = 0
      file = 1
      line = 1
    }

    @inline(__always)
    private func append(to rows: inout [Row]) {
      rows.append(
        Row(
          address: address, file: UInt32(truncatingIfNeeded: file),
          line: UInt32(truncatingIfNeeded: line)))
    }
  }
}
