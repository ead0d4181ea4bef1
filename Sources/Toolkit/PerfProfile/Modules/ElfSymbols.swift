/// The functions of an ELF file's symbol table, for names when nothing better is at hand.
struct ElfSymbols: Sendable {
  private struct Entry {
    let address: UInt64
    let bytes: UInt64
    let name: UInt32
  }

  private static let symbolTable: UInt32 = 2
  private static let dynamicTable: UInt32 = 11
  private static let functionType: UInt8 = 2
  private static let indirectFunctionType: UInt8 = 10
  /// Bytes of a name, several times what compilers write.
  ///
  /// Each address of a function has a copy of it.
  static let mostNameBytes = 16 << 10

  /// Of the file that has the table.
  private let memory: ImageMemory
  private let names: Int
  private let entries: [Entry]
  private let stubs: ElfStubs
  /// The file itself.
  private let image: ElfImage

  /// Reads `.symtab`, of the debug file where the file has none, or `.dynsym` where there is neither;
  /// without any of them it has no names.
  ///
  /// - Complexity: O(*n* log *n*) in the number of symbols.
  init(_ image: ElfImage) {
    self.image = image
    let debugFile = Self.isTable(in: image) ? nil : try? DebugFile.open(for: image)
    let file = debugFile.flatMap { Self.isTable(in: $0) ? $0 : nil } ?? image
    memory = file.memory
    let reader = ByteReader(bytes: memory.bytes)
    let sections = file.sections().map(\.section)
    guard
      let table = sections.first(where: Self.isTable)
        ?? sections.first(where: { $0.type == Self.dynamicTable }),
      table.entryBytes == 24, sections.indices.contains(table.link)
    else {
      names = 0
      entries = []
      stubs = ElfStubs(image) { _ in nil }
      return
    }
    names = sections[table.link].offset
    var found: [Entry] = []
    for index in 0..<(table.bytes / 24) {
      let offset = table.offset + index * 24
      guard let name = reader.load(offset, as: UInt32.self),
        let type = reader.load(offset + 4, as: UInt8.self).map({ $0 & 0x0f }),
        type == Self.functionType || type == Self.indirectFunctionType,
        let section = reader.load(offset + 6, as: UInt16.self), section != 0,
        let address = reader.load(offset + 8, as: UInt64.self),
        let bytes = reader.load(offset + 16, as: UInt64.self)
      else { continue }
      found.append(Entry(address: address, bytes: bytes, name: name))
    }
    // Aliases share an address: the longest one comes last and is found.
    let sorted = found.sorted { ($0.address, $0.bytes) < ($1.address, $1.bytes) }
    let texts = names
    entries = sorted
    stubs = ElfStubs(image) { address in
      Self.entry(at: address, of: sorted).flatMap {
        reader.text(texts + Int($0.name), shorterThan: Self.mostNameBytes)
      }
    }
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

  /// Returns the name, and whether the symbol says where the function ends.
  ///
  /// - Complexity: O(log *n*).
  func function(at address: UInt64) -> (name: String, hasEnd: Bool)? {
    if let name = stubName(at: address) { return (name, true) }
    guard let entry = entry(at: address) else { return nil }
    let text = ByteReader(bytes: memory.bytes).text(
      names + Int(entry.name), shorterThan: Self.mostNameBytes)
    return text.flatMap { $0.isEmpty ? nil : ($0, entry.bytes > 0) }
  }

  /// Returns where the function begins that an address of the file lies in.
  ///
  /// - Complexity: O(log *n*).
  func start(at address: UInt64) -> UInt64? {
    stubs.start(at: address) ?? entry(at: address)?.address
  }

  /// Returns the name of the stub that an address of the file lies in: see `ElfStubs`.
  func stubName(at address: UInt64) -> String? { stubs.name(at: address) }

  /// The addresses of all functions, ascending, aliases once each.
  var starts: [UInt64] { entries.map(\.address) }

  private func entry(at address: UInt64) -> Entry? {
    guard let entry = Self.entry(at: address, of: entries) else { return nil }
    // One without a size ends where unwind information has another function begin.
    let isPassed = entry.bytes == 0 && image.describedBegin(before: address) ?? 0 > entry.address
    return isPassed ? nil : entry
  }

  private static func entry(at address: UInt64, of entries: [Entry]) -> Entry? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let entry = entries[low - 1]
    // Assembly often has no size; it then reaches to the next symbol.
    return entry.bytes == 0 || address - entry.address < entry.bytes ? entry : nil
  }
}
