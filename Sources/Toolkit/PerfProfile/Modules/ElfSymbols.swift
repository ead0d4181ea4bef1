internal import PerfModel

/// The functions in the symbol tables of an ELF file.
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
    /// Ascending; of aliases at one address the longest is last, so a search finds it.
    let entries: [Entry]

    /// Reads a table; an invalid table has no functions.
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
      // A function in assembly often has no size: it extends to the next symbol.
      return entry.bytes == 0 || address - entry.address < entry.bytes ? entry : nil
    }

    /// Returns the name of a function without its version (`@@GLIBC_2.2.5`), which debug files append.
    func name(of entry: Entry) -> String? {
      let text = ByteReader(bytes: memory.bytes).text(names + Int(entry.name))
      guard let text, let at = text.utf8.firstIndex(of: UInt8(ascii: "@")) else {
        return text?.isEmpty == true ? nil : text
      }
      return at == text.startIndex ? nil : String(text[..<at])
    }
  }

  private static let symbolTable: UInt32 = 2
  private static let dynamicTable: UInt32 = 11
  private static let functionType: UInt8 = 2
  private static let indirectFunctionType: UInt8 = 10

  /// `.symtab`, or `.dynsym` if there is none.
  private let own: Table
  /// `.symtab` of the debug file if the file has none.
  private let other: Table?
  private let stubs: ElfStubs
  private let image: ElfImage

  /// Reads `.symtab`, or `.dynsym` and the `.symtab` of the debug file.
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

  /// Returns whether a file has a table of all functions, not only of the exported ones.
  static func hasTable(in image: ElfImage) -> Bool {
    image.sections().contains { isTable($0.section) }
  }

  private static func isTable(_ section: ElfImage.Section) -> Bool {
    section.type == symbolTable && section.bytes > 0
  }

  /// Returns the mangled name of the function at an address; for a stub the name of the called function
  /// with the suffix `@plt`.
  ///
  /// - Complexity: O(log *n*).
  func name(at address: UInt64) -> String? { function(at: address)?.name }

  /// Returns the mangled name of the function at an address, and whether it takes precedence over the
  /// name in debug information.
  ///
  /// It does if the file itself contains the symbol with a size. Debug files contain the names by which
  /// libraries call their functions internally (`__GI___mmap64`).
  ///
  /// - Complexity: O(log *n*).
  func function(at address: UInt64) -> (name: String, isSure: Bool)? {
    if let name = stubName(at: address) { return (name, true) }
    guard let (entry, table) = entry(at: address) else { return nil }
    return table.name(of: entry).map { ($0, entry.bytes > 0 && table.memory === own.memory) }
  }

  /// Returns the start of the function at an address.
  ///
  /// - Complexity: O(log *n*).
  func start(at address: UInt64) -> UInt64? {
    stubs.start(at: address) ?? entry(at: address)?.entry.address
  }

  /// Returns the name of the stub at an address; see `ElfStubs`.
  func stubName(at address: UInt64) -> String? { stubs.name(at: address) }

  /// The addresses of all functions and aliases, ascending.
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

  /// Returns whether a function without a size ends before an address: unwind information knows a later
  /// function that starts before the address.
  private func isPassed(_ entry: Entry, at address: UInt64) -> Bool {
    entry.bytes == 0 && image.describedBegin(before: address) ?? 0 > entry.address
  }
}
