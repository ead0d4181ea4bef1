internal import PerfModel

/// The stubs through which an ELF file calls functions of other files: its `.plt` sections.
///
/// Stubs have no symbols; without this type they would get the name of `_init`, which precedes them and
/// has no size. A stub jumps through a word that a relocation fills in, and gets the name of the
/// relocation's symbol (System V ABI for AMD64, 5.2). x86-64 only.
struct ElfStubs: Sendable {
  private struct Stub {
    let start: UInt64
    /// The name of the called function; nil if unknown.
    let name: String?
  }

  private struct Part {
    let addresses: Range<UInt64>
    let name: String
    /// Ascending.
    let stubs: [Stub]
  }

  private static let relocationTable: UInt32 = 4
  private static let amd64: UInt16 = 62

  private let parts: [Part]

  /// Reads the stubs of a file.
  ///
  /// - Parameters:
  ///   - image: The file.
  ///   - function: Returns the name of the function at an address of the file. A stub of an indirect
  ///     function has the name of its resolver.
  /// - Complexity: O(*n*) in the stubs, or in all relocations if there is a `.plt.got`.
  init(_ image: ElfImage, function: @escaping (UInt64) -> String?) {
    let reader = ByteReader(bytes: image.memory.bytes)
    let sections = image.sections()
    let plain = sections.filter { $0.name.hasPrefix(".plt") || $0.name == ".iplt" }
    guard reader.load(18, as: UInt16.self) == Self.amd64, !plain.isEmpty else {
      parts = []
      return
    }
    let needsAll = plain.contains { $0.name == ".plt.got" }
    let tables = sections.filter {
      $0.section.type == Self.relocationTable && (needsAll || $0.name == ".rela.plt")
    }
    var names: [UInt64: String] = [:]
    var lazy: [String?] = []
    let every = sections.map(\.section)
    for (name, table) in tables {
      let relocations = Relocations(reader, table, every, function)
      for index in 0..<relocations.count {
        let (slot, target) = relocations[index]
        if let slot, let target { names[slot] = target }
        if name == ".rela.plt" { lazy.append(target) }
      }
    }
    parts = plain.compactMap { name, section in
      guard let code = reader.slice(section.offset, section.bytes), !code.isEmpty else {
        return nil
      }
      let (end, overflow) = section.address.addingReportingOverflow(UInt64(code.count))
      guard !overflow else { return nil }
      return Part(
        addresses: section.address..<end, name: name,
        stubs: Self.stubs(of: ByteReader(bytes: code), at: section.address, names, lazy))
    }
  }

  /// Returns the name of the stub at an address, such as `memcpy@plt`, or the name of its section for the
  /// code that stubs share; nil outside of stubs.
  ///
  /// - Complexity: O(log *n*).
  func name(at address: UInt64) -> String? {
    part(at: address).map { part in
      stub(at: address, in: part)?.name.map { $0 + "@plt" } ?? part.name
    }
  }

  /// Returns the start of the stub at an address; nil outside of stubs.
  func start(at address: UInt64) -> UInt64? {
    part(at: address).map { part in
      stub(at: address, in: part)?.start ?? part.addresses.lowerBound
    }
  }

  private func part(at address: UInt64) -> Part? {
    parts.first { $0.addresses.contains(address) }
  }

  private func stub(at address: UInt64, in part: Part) -> Stub? {
    lastIndex(of: part.stubs.indices) { part.stubs[$0].start <= address }.map { part.stubs[$0] }
  }

  /// Finds the stubs of a section, which start at multiples of 8.
  private static func stubs(
    of code: ByteReader, at address: UInt64, _ names: [UInt64: String], _ lazy: [String?]
  ) -> [Stub] {
    stride(from: 0, to: code.bytes.count, by: 8).compactMap { offset in
      var place = offset
      // Skip endbr64 and the prefix of a checked jump.
      if code.load(place, as: UInt32.self) == 0xfa1e_0ff3 { place += 4 }
      if code.load(place, as: UInt8.self) == 0xf2 { place += 1 }
      let start = address &+ UInt64(offset)
      // jmp *distance(%rip)
      if code.load(place, as: UInt16.self) == 0x25ff, let distance: Int32 = code.load(place + 2) {
        let slot = address &+ UInt64(place + 6) &+ UInt64(bitPattern: Int64(distance))
        return Stub(start: start, name: names[slot])
      }
      // push $number, before a jump to the function resolver
      if code.load(place, as: UInt8.self) == 0x68, let number: UInt32 = code.load(place + 1),
        lazy.indices.contains(Int(number))
      {
        return Stub(start: start, name: lazy[Int(number)])
      }
      return nil
    }
  }
}

/// A relocation table, by which the loader fills the words of stubs.
private struct Relocations {
  private static let entryBytes = 24
  private static let symbolBytes = 24
  /// R_X86_64_GLOB_DAT and R_X86_64_JUMP_SLOT.
  private static let named: Set<UInt32> = [6, 7]
  /// R_X86_64_IRELATIVE, whose addend is the address of a resolver.
  private static let indirect: UInt32 = 37

  let count: Int
  private let reader: ByteReader
  private let table: ElfImage.Section
  private let symbols: ElfImage.Section?
  private let texts: ElfImage.Section?
  private let function: (UInt64) -> String?

  init(
    _ reader: ByteReader, _ table: ElfImage.Section, _ sections: [ElfImage.Section],
    _ function: @escaping (UInt64) -> String?
  ) {
    self.reader = reader
    self.table = table
    self.function = function
    count = table.bytes / Self.entryBytes
    symbols = sections.indices.contains(table.link) ? sections[table.link] : nil
    texts = symbols.flatMap { sections.indices.contains($0.link) ? sections[$0.link] : nil }
  }

  /// The address of the filled word and the name of the function whose address it gets.
  subscript(index: Int) -> (slot: UInt64?, target: String?) {
    let entry = table.offset + index * Self.entryBytes
    guard let slot: UInt64 = reader.load(entry), let kind: UInt32 = reader.load(entry + 8),
      let symbol: UInt32 = reader.load(entry + 12), let addend: UInt64 = reader.load(entry + 16)
    else { return (nil, nil) }
    if kind == Self.indirect { return (slot, function(addend)) }
    guard Self.named.contains(kind), let symbols, let texts,
      Int(symbol) < symbols.bytes / Self.symbolBytes,
      let name: UInt32 = reader.load(symbols.offset + Int(symbol) * Self.symbolBytes),
      Int(name) < texts.bytes
    else { return (slot, nil) }
    let text = reader.text(texts.offset + Int(name))
    return (slot, text.flatMap { $0.isEmpty ? nil : $0 })
  }
}
