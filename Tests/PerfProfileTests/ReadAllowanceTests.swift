import Testing

@testable import PerfProfile

/// Files that are small, and take hours or all memory when they are read as they ask for.
struct ReadAllowanceTests {
  /// The numbers of DWARF 5, tables 7.3, 7.5 and 7.6.
  private enum Tag {
    static let unit: UInt8 = 0x11
    static let inlined: UInt8 = 0x1d
    static let function: UInt8 = 0x2e
  }
  private enum Attribute {
    static let name: UInt8 = 0x03
    static let lines: UInt8 = 0x10
    static let low: UInt8 = 0x11
    static let high: UInt8 = 0x12
    static let folder: UInt8 = 0x1b
    static let producer: UInt8 = 0x25
    static let origin: UInt8 = 0x31
    static let ranges: UInt8 = 0x55
  }
  private enum Form {
    static let address: UInt8 = 0x01
    static let data8: UInt8 = 0x07
    static let text: UInt8 = 0x08
    static let textOffset: UInt8 = 0x0e
    static let number: UInt8 = 0x0f
    static let reference4: UInt8 = 0x13
    static let sectionOffset: UInt8 = 0x17
    static let present: UInt8 = 0x19
    static let lineTextOffset: UInt8 = 0x1f
  }

  /// What a list, table or text has that is shared.
  private static let large = 1 << 20
  /// Bytes of each function and unit.
  private static let codeBytes: UInt64 = 16
  private static let code: [(UInt8, UInt8)] = [
    (Attribute.low, Form.address), (Attribute.high, Form.data8),
  ]

  // MARK: - Bytes

  private func number(_ value: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    return bytes
  }

  /// One row of a table of abbreviations.
  private func kind(
    _ code: Int, _ tag: UInt8, hasChildren: Bool = false, _ attributes: [(UInt8, UInt8)]
  ) -> [UInt8] {
    var bytes = number(code)
    bytes += [tag, hasChildren ? 1 : 0]
    for (name, form) in attributes { bytes += [name, form] }
    bytes += [0, 0]
    return bytes
  }

  private func unit(_ entries: [UInt8], version: UInt16 = 4) -> [UInt8] {
    var body = little(version)
    if version == 5 {
      body += [1, 8]
      body += little(UInt32(0))
    } else {
      body += little(UInt32(0))
      body.append(8)
    }
    body += entries
    return little(UInt32(body.count)) + body
  }

  /// The values of `code`, of the unit or function with a number.
  private func place(_ index: Int) -> [UInt8] {
    little(address(index)) + little(Self.codeBytes)
  }

  private func address(_ index: Int) -> UInt64 { 0x1000 + UInt64(index) * Self.codeBytes }

  private func dwarf(
    _ info: [UInt8], kinds: [UInt8], _ others: [(name: String, bytes: [UInt8])] = []
  ) throws -> DwarfFile? {
    let sections: [(name: String, bytes: [UInt8])] = [
      (name: ".debug_info", bytes: info), (name: ".debug_abbrev", bytes: kinds + [0]),
    ]
    let image = try HandmadeFile(sections: sections + others).image()
    return try DwarfFile(image, symbols: ElfSymbols(image))
  }

  /// A list of a megabyte or so as the versions write it.
  private func ranges(version: UInt16) -> (name: String, bytes: [UInt8]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.large + 16)
    var index = 0
    while bytes.count < Self.large {
      let low = address(index)
      if version == 5 {
        // DW_RLE_start_length.
        bytes.append(7)
        bytes += little(low)
        bytes.append(UInt8(Self.codeBytes))
      } else {
        bytes += little(low)
        bytes += little(low + Self.codeBytes)
      }
      index += 1
    }
    bytes += [UInt8](repeating: 0, count: 16)
    return (version == 5 ? ".debug_rnglists" : ".debug_ranges", bytes)
  }

  // MARK: - Lists

  @Test(arguments: [4, 5] as [UInt16]) func `a list of ranges is not read for thousands of units`(
    version: UInt16
  ) throws {
    let kinds = kind(
      1, Tag.unit, [(Attribute.low, Form.address), (Attribute.ranges, Form.sectionOffset)])
    let one = unit([1] + little(UInt64(0)) + little(UInt32(0)), version: version)
    let list = ranges(version: version)
    for (count, isRead) in [(2, true), (20_000, false)] {
      let info = Array(repeatElement(one, count: count).joined())
      #expect((try dwarf(info, kinds: kinds, [list]) != nil) == isRead)
    }
  }

  @Test(arguments: [4, 5] as [UInt16])
  func `a list of ranges is not read for thousands of functions`(version: UInt16) throws {
    let kinds =
      kind(1, Tag.unit, hasChildren: true, Self.code)
      + kind(2, Tag.function, [(Attribute.ranges, Form.sectionOffset)])
    let one: [UInt8] = [2] + little(UInt32(0))
    let list = ranges(version: version)
    for (count, isRead) in [(2, true), (20_000, false)] {
      var entries: [UInt8] = [1] + place(0)
      entries += repeatElement(one, count: count).joined()
      entries.append(0)
      let file = try #require(
        try dwarf(unit(entries, version: version), kinds: kinds, [list]))
      #expect((file.frames(at: address(0)) != nil) == isRead)
      // What has been read once says nothing when it was not all.
      #expect((file.frames(at: address(0)) != nil) == isRead)
    }
  }

  // MARK: - Lines

  /// A line table with the fields that all have, and what is behind them.
  private func table(version: UInt16, _ names: [UInt8], _ program: [UInt8]) -> [UInt8] {
    // Sizes of instructions, whether rows are statements, and how special instructions count; operands
    // of the 12 standard ones.
    var header: [UInt8] = [1, 1, 1, 0xfb, 14, 13]
    header += [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]
    header += names
    var body = little(version)
    if version == 5 { body += [8, 0] }
    body += little(UInt32(header.count))
    body += header
    body += program
    return little(UInt32(body.count)) + body
  }

  @Test func `a line table is not read for hundreds of units`() throws {
    let kinds = kind(1, Tag.unit, Self.code + [(Attribute.lines, Form.sectionOffset)])
    // An extended instruction that nobody knows, with all the rest as its operand.
    var program: [UInt8] = [0]
    program += number(Self.large)
    program.append(0x80)
    program += [UInt8](repeating: 0, count: Self.large - 1)
    let lines = table(version: 4, [0, 0], program)
    let count = 200
    var info: [UInt8] = []
    for index in 0..<count { info += unit([1] + place(index) + little(UInt32(0))) }
    let file = try #require(
      try dwarf(info, kinds: kinds, [(name: ".debug_line", bytes: lines)]))
    let answers = (0..<count).count { file.frames(at: address($0)) != nil }
    // 16 MiB in any case, and four times what there is.
    #expect(answers == 20)
    #expect(file.frames(at: address(0)) == nil)
  }

  @Test func `a name that all files of a line table have is read when it is asked for`() throws {
    let kinds =
      kind(1, Tag.unit, hasChildren: true, Self.code + [(Attribute.lines, Form.sectionOffset)])
      + kind(2, Tag.function, [(Attribute.name, Form.text)] + Self.code)
    var entries: [UInt8] = [1] + place(0)
    entries += little(UInt32(0))
    entries += [2, UInt8(ascii: "f"), 0]
    entries += place(0)
    entries.append(0)
    let name = String(repeating: "a", count: Self.large)
    let count = 100_000
    // One folder and all files, each as an offset of a name.
    var names: [UInt8] = [1, 1, Form.lineTextOffset, 1]
    names += little(UInt32(0))
    names += [1, 1, Form.lineTextOffset]
    names += number(count)
    names += repeatElement(little(UInt32(3)), count: count).joined()
    // Set the address, append a row, move on, end the sequence.
    var program: [UInt8] = [0, 9, 2]
    program += little(address(0))
    program += [1, 2, UInt8(Self.codeBytes), 0, 1, 1]
    let file = try #require(
      try dwarf(
        unit(entries), kinds: kinds,
        [
          (name: ".debug_line", bytes: table(version: 5, names, program)),
          (name: ".debug_line_str", bytes: Array("/b\0\(name)\0".utf8)),
        ]))
    #expect(
      file.frames(at: address(0)) == [
        StackFrame(name: "f", file: "/b/\(name)", line: 1)
      ])
  }

  @Test func `a folder is not read for thousands of units`() throws {
    let kinds = kind(1, Tag.unit, Self.code + [(Attribute.folder, Form.textOffset)])
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: Self.large) + [0]
    for (count, isRead) in [(2, true), (20_000, false)] {
      var info: [UInt8] = []
      for index in 0..<count { info += unit([1] + place(index) + little(UInt32(0))) }
      let file = try dwarf(info, kinds: kinds, [(name: ".debug_str", bytes: text)])
      #expect((file != nil) == isRead)
    }
  }

  // MARK: - Entries

  @Test(arguments: [(100, true), (600, false)])
  func `functions within each other are read as deep as compilers write them`(
    depth: Int, isRead: Bool
  ) throws {
    let named = [(Attribute.name, Form.text)] + Self.code
    var kinds = kind(1, Tag.unit, hasChildren: true, Self.code)
    kinds += kind(2, Tag.function, hasChildren: true, named)
    kinds += kind(3, Tag.inlined, hasChildren: true, named)
    var entries: [UInt8] = [1] + place(0)
    let codes: [UInt8] = [2] + Array(repeating: 3, count: depth)
    for code in codes {
      entries += [code, UInt8(ascii: "f"), 0]
      entries += place(0)
    }
    entries += [UInt8](repeating: 0, count: depth + 2)
    let file = try #require(try dwarf(unit(entries), kinds: kinds))
    #expect(file.frames(at: address(0))?.count == (isRead ? depth + 1 : nil))
  }

  @Test(arguments: [Form.text, Form.number])
  func `an entry that all functions refer to is read a few times`(form: UInt8) throws {
    let kinds =
      kind(1, Tag.unit, hasChildren: true, Self.code)
      + kind(2, Tag.function, [(Attribute.producer, form), (Attribute.name, Form.text)])
      + kind(3, Tag.function, [(Attribute.origin, Form.reference4)] + Self.code)
    let count = 100
    var entries: [UInt8] = [1] + little(address(0))
    entries += little(UInt64(count) * Self.codeBytes)
    // Behind the length, the version, where the table is, the size of an address, and the unit's entry.
    let origin = 11 + entries.count
    // A text of a megabyte, or a number of as many bytes that are no last one.
    entries.append(2)
    entries += [UInt8](repeating: 0x80, count: Self.large)
    entries += [0, UInt8(ascii: "f"), 0]
    for index in 0..<count {
      entries.append(3)
      entries += little(UInt32(origin))
      entries += place(index)
    }
    entries.append(0)
    let file = try #require(try dwarf(unit(entries), kinds: kinds))
    let answers = (0..<count).count { file.frames(at: address($0))?.map(\.name) == ["f"] }
    // 16 MiB in any case, and four times what there is.
    #expect(answers == 20)
  }

  /// Reads a table of abbreviations.
  private func abbreviations(_ kinds: [UInt8]) throws -> DwarfAbbreviations? {
    let image = try HandmadeFile(sections: [
      (name: ".debug_info", bytes: [0]), (name: ".debug_abbrev", bytes: kinds + [0]),
    ]).image()
    let sections = try #require(try DwarfSections(image))
    return DwarfAbbreviations(sections, at: 0, addressBytes: 8)
  }

  @Test func `numbers may be missing in a table, but not most of them`() throws {
    func table(_ codes: [Int]) throws -> DwarfAbbreviations? {
      try abbreviations(codes.flatMap { kind($0, Tag.function, Self.code) })
    }
    let whole = try #require(try table(Array(1...200)))
    let known = (0...201).filter { whole[UInt64($0)] != nil }
    #expect(known == Array(1...200))
    // Behind 100 of them, twice as many and 64 is the last that there may be.
    let sparse = try #require(try table(Array(1...100) + [264]))
    #expect((99...264).filter { sparse[UInt64($0)] != nil } == [99, 100, 264])
    for codes in [Array(1...100) + [265], Array(stride(from: 64, through: 6400, by: 64))] {
      #expect((try table(codes) != nil) == false)
    }
  }

  @Test func `an entry has as many attributes as compilers write`() throws {
    for (count, isRead) in [(128, true), (129, false)] {
      let attributes = Array(repeating: (Attribute.name, Form.present), count: count)
      #expect((try abbreviations(kind(1, Tag.function, attributes)) != nil) == isRead)
    }
  }

  // MARK: - Stubs

  // 16 MiB may be read in any case, of names of 16 KiB some 1,000, and as much again of these files.
  @Test(arguments: [(2, true), (10_000, false)])
  func `a name that all stubs of a file have is read a few times`(count: Int, isRead: Bool) throws {
    let name = String(repeating: "a", count: ElfSymbols.mostNameBytes - 1)
    var relocations: [UInt8] = []
    var code: [UInt8] = []
    for index in 0..<count {
      // The word, R_X86_64_JUMP_SLOT, the symbol's number, and what is added to its address.
      relocations += little(UInt64(index))
      relocations += little(UInt32(7))
      relocations += little(UInt32(0))
      relocations += little(UInt64(0))
      // push $index
      code.append(0x68)
      code += little(UInt32(index))
      code += [0, 0, 0]
    }
    let image = try HandmadeFile(
      sections: [
        (name: ".plt", bytes: code), (name: ".rela.plt", bytes: relocations),
        (name: ".dynsym", bytes: [UInt8](repeating: 0, count: 24)),
        (name: ".dynstr", bytes: Array(name.utf8) + [0]),
      ],
      types: [".rela.plt": 4],
      links: [".rela.plt": ".dynsym", ".dynsym": ".dynstr"]
    ).image()
    let stubs = ElfStubs(image) { _ in nil }
    // By its length: a failure would print it.
    #expect(stubs.name(at: 8)?.utf8.count == (isRead ? name.utf8.count + 4 : nil))
  }

  @Test(arguments: [(-1, true), (0, false)])
  func `a symbol's name is as long as compilers write them`(more: Int, isRead: Bool) throws {
    let name = String(repeating: "a", count: ElfSymbols.mostNameBytes + more)
    // Its name's offset, STT_FUNC, its section, address and size.
    var symbol = little(UInt32(0))
    symbol += [2, 0]
    symbol += little(UInt16(1))
    symbol += little(UInt64(0x1000))
    symbol += little(UInt64(16))
    let image = try HandmadeFile(
      sections: [
        (name: ".symtab", bytes: symbol), (name: ".strtab", bytes: Array(name.utf8) + [0]),
      ],
      types: [".symtab": 2], links: [".symtab": ".strtab"], entryBytes: [".symtab": 24]
    ).image()
    // By its length: a failure would print it.
    #expect(ElfSymbols(image).name(at: 0x1008)?.utf8.count == (isRead ? name.utf8.count : nil))
  }

  @Test func `what is read counts until nothing is left`() {
    let allowance = ReadAllowance(bytes: 10)
    allowance.take(from: 1, to: (16 << 20) + 41)
    #expect(!allowance.isSpent)
    allowance.take(from: 5, to: 3)
    #expect(!allowance.isSpent)
    allowance.take(from: 3, to: 4)
    #expect(allowance.isSpent)
  }
}
