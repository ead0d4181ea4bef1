/// The functions of an ELF file's symbol tables, for names when nothing better is at hand.
struct ElfSymbols: Sendable {
  private struct Entry {
    let address: UInt64
    let bytes: UInt64
    let name: UInt32
  }

  /// The functions of one table.
  private struct Table {
    let memory: ImageMemory
    let names: Int
    /// Ascending; of aliases, which share an address, the longest comes last and is found.
    let entries: [Entry]

    /// Reads a table; one that makes no sense has no functions.
    init(_ table: ElfImage.Section?, _ sections: [ElfImage.Section], _ memory: ImageMemory) {
      self.memory = memory
      guard let table, table.entryBytes == 24, sections.indices.contains(table.link) else {
        names = 0
        entries = []
        return
      }
      names = sections[table.link].offset
      let reader = ByteReader(bytes: memory.bytes)
      var found: [Entry] = []
      for index in 0..<(table.bytes / 24) {
        let offset = table.offset + index * 24
        guard let name = reader.load(offset, as: UInt32.self),
          let type = reader.load(offset + 4, as: UInt8.self).map({ $0 & 0x0f }),
          type == ElfSymbols.functionType || type == ElfSymbols.indirectFunctionType,
          let section = reader.load(offset + 6, as: UInt16.self), section != 0,
          let address = reader.load(offset + 8, as: UInt64.self),
          let bytes = reader.load(offset + 16, as: UInt64.self)
        else { continue }
        found.append(Entry(address: address, bytes: bytes, name: name))
      }
      entries = found.sorted { ($0.address, $0.bytes) < ($1.address, $1.bytes) }
    }

    func entry(at address: UInt64) -> Entry? {
      let place = lastIndex(of: entries.indices) { entries[$0].address <= address }
      guard let entry = place.map({ entries[$0] }) else { return nil }
      // Assembly often has no size; it then reaches to the next symbol.
      return entry.bytes == 0 || address - entry.address < entry.bytes ? entry : nil
    }

    /// The name of one, without the version that debug files have behind it (`@@GLIBC_2.2.5`).
    func name(of entry: Entry) -> String? {
      let text = ByteReader(bytes: memory.bytes).text(
        names + Int(entry.name), shorterThan: ElfSymbols.mostNameBytes)
      let name = text.map { String($0.prefix { $0 != "@" }) }
      return name.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  private static let symbolTable: UInt32 = 2
  private static let dynamicTable: UInt32 = 11
  private static let functionType: UInt8 = 2
  private static let indirectFunctionType: UInt8 = 10
  /// Bytes of a name, several times what compilers write.
  ///
  /// Each address of a function has a copy of it.
  static let mostNameBytes = 16 << 10

  /// `.symtab`, or `.dynsym` where there is none.
  private let own: Table
  /// `.symtab` of the debug file, where the file has none.
  private let other: Table?
  private let stubs: ElfStubs
  /// The file itself.
  private let image: ElfImage

  /// Reads `.symtab`, or `.dynsym` and what `.symtab` of the debug file has beyond it; without any of them it
  /// has no names.
  ///
  /// - Complexity: O(*n* log *n*) in the number of symbols.
  init(_ image: ElfImage) {
    self.image = image
    let sections = image.sections().map(\.section)
    let table = sections.first(where: Self.isTable)
    let own = Table(
      table ?? sections.first { $0.type == Self.dynamicTable }, sections, image.memory)
    let debugFile = table == nil ? (try? DebugFile.open(for: image)) : nil
    let other = debugFile.flatMap { file -> Table? in
      let sections = file.sections().map(\.section)
      return sections.first(where: Self.isTable).map { Table($0, sections, file.memory) }
    }
    stubs = ElfStubs(image) { address in
      own.entry(at: address).flatMap(own.name)
        ?? other?.entry(at: address).flatMap { other?.name(of: $0) }
    }
    self.own = own
    self.other = other
  }

  /// Whether a file has a table of all its functions, and not of those alone that it exports.
  static func isTable(in image: ElfImage) -> Bool {
    image.sections().contains { isTable($0.section) }
  }

  private static func isTable(_ section: ElfImage.Section) -> Bool {
    section.type == symbolTable && section.bytes > 0
  }

  /// Returns the mangled name of the function that an address of the file lies in; of a stub that of
  /// the function that it calls, with `@plt` behind it.
  ///
  /// - Complexity: O(log *n*).
  func name(at address: UInt64) -> String? { function(at: address)?.name }

  /// Returns the name, and whether it goes before that of debug information.
  ///
  /// It does when the file itself has it, and says where the function ends. Debug files have the names by which
  /// libraries call their own functions (`__GI___mmap64`).
  ///
  /// - Complexity: O(log *n*).
  func function(at address: UInt64) -> (name: String, isSure: Bool)? {
    if let name = stubName(at: address) { return (name, true) }
    guard let (entry, table) = entry(at: address) else { return nil }
    return table.name(of: entry).map { ($0, entry.bytes > 0 && table.memory === own.memory) }
  }

  /// Returns where the function begins that an address of the file lies in.
  ///
  /// - Complexity: O(log *n*).
  func start(at address: UInt64) -> UInt64? {
    stubs.start(at: address) ?? entry(at: address)?.entry.address
  }

  /// Returns the name of the stub that an address of the file lies in: see `ElfStubs`.
  func stubName(at address: UInt64) -> String? { stubs.name(at: address) }

  /// The addresses of all functions, ascending, also those of aliases.
  var starts: [UInt64] {
    guard let other else { return own.entries.map(\.address) }
    return (own.entries + other.entries).map(\.address).sorted()
  }

  private func entry(at address: UInt64) -> (entry: Entry, table: Table)? {
    let entry = own.entry(at: address)
    if let entry, entry.bytes > 0 { return (entry, own) }
    if let other, let entry = other.entry(at: address), !isPassed(entry, at: address) {
      return (entry, other)
    }
    guard let entry, !isPassed(entry, at: address) else { return nil }
    return (entry, own)
  }

  /// Whether one without a size ended before an address: unwind information has another function begin there.
  private func isPassed(_ entry: Entry, at address: UInt64) -> Bool {
    entry.bytes == 0 && image.describedBegin(before: address) ?? 0 > entry.address
  }
}
