/// The debug information of a file: which functions, inlined ones among them, and which lines an
/// address belongs to.
///
/// It is read as far as it is asked for, unit by unit. llvm-symbolizer answers the same, but makes an
/// object of each entry of a unit to do so.
final class DwarfFile {
  /// A unit, of which no more is read than somebody asks for.
  private final class Unit {
    /// Where it is in its section.
    let place: Range<UInt64>
    /// Nil when nobody can read it.
    private(set) lazy var header = readHeader()
    lazy var functions = header.flatMap(DwarfFunctions.init)
    lazy var lines = header.flatMap(DwarfLines.init)
    /// The paths of files that were met, nil of code that belongs to none.
    var paths: [UInt64: String?] = [:]
    private let unread: DwarfUnit

    init(_ unread: DwarfUnit) {
      self.unread = unread
      place = unread.offset..<unread.end
    }

    private func readHeader() -> DwarfUnit? {
      var unit = unread
      return unit.readRoot() ? unit : nil
    }
  }

  /// Ascending.
  private var units: [Unit] = []
  /// Which unit has which code, ascending.
  private var code: [(addresses: Range<UInt64>, unit: Int)] = []
  private let sections: DwarfSections
  private let symbols: ElfSymbols
  /// The names of entries that were met, nil of those without one.
  private var names: [UInt64: String?] = [:]
  /// Whether something that is needed cannot be read.
  private var isAtLoss = false

  /// Finds the units of a file, or of the one that has its debug information.
  ///
  /// It is nil without debug information, and for such as is left to the tool: it is split into other
  /// files, compressed otherwise than by zlib, of an unusual form, or refers to the same bytes over and
  /// over (`ReadAllowance`).
  ///
  /// - Parameters:
  ///   - image: The file.
  ///   - symbols: Its symbol table, whose names go before those of the debug information.
  /// - Throws: `image` when a debug file is not one, or a compressed section cannot be read.
  init?(_ image: ElfImage, symbols: ElfSymbols) throws(PerfProfileError) {
    guard let file = try DebugFile.find(for: image), let sections = try DwarfSections(file) else {
      return nil
    }
    self.sections = sections
    self.symbols = symbols
    let tables = DwarfAbbreviationTables(sections, addressBytes: 8)
    let listed = sections.codeOfUnits()
    var offset: UInt64 = 0
    while offset < UInt64(sections.info.count) {
      let read = try? DwarfUnit.readHeader(sections, at: offset, tables: tables)
      guard let (header, end) = read else { return nil }
      if let unit = header.map(Unit.init) {
        guard let pieces = listed[offset] ?? unit.header?.code, !sections.allowance.isSpent else {
          return nil
        }
        for addresses in pieces { code.append((addresses, units.count)) }
        units.append(unit)
      }
      offset = end
    }
    code.sort { $0.addresses.lowerBound < $1.addresses.lowerBound }
  }

  /// Returns the frames of an address, innermost first; none where nothing is known, nil where only
  /// the tool can tell.
  func frames(at address: UInt64) -> [LLVMSymbolizer.Frame]? {
    guard !sections.allowance.isSpent else { return nil }
    isAtLoss = false
    let frames = findFrames(at: address)
    return isAtLoss || sections.allowance.isSpent ? nil : frames
  }

  private func findFrames(at address: UInt64) -> [LLVMSymbolizer.Frame] {
    let function = symbols.function(at: address)
    let symbol = function?.name
    guard let unit = unit(at: address) else {
      return symbol.map { [LLVMSymbolizer.Frame(name: $0, file: nil, line: 0)] } ?? []
    }
    guard let header = unit.header else {
      isAtLoss = true
      return []
    }
    // The address's own line is of the innermost function; the others are where they call.
    var line = unit.lines?.line(at: address)
    var frames: [LLVMSymbolizer.Frame] = []
    let found = unit.functions?.scopes(at: address)
    if found == nil { isAtLoss = true }
    let scopes = found ?? []
    for (depth, scope) in scopes.enumerated() {
      let isOutermost = depth == scopes.count - 1
      // A symbol that does not say where its function ends may be of one before this.
      let sure = isOutermost && function?.hasEnd == true ? symbol : nil
      let name = sure ?? name(of: scope.entry, in: header) ?? (isOutermost ? symbol : nil)
      if let name { frames.append(frame(name, line, in: unit)) }
      line = (scope.call.file, scope.call.line)
    }
    if scopes.isEmpty, let symbol { frames.append(frame(symbol, line, in: unit)) }
    return frames
  }

  private func frame(
    _ name: String, _ line: (file: UInt64, line: Int)?, in unit: Unit
  ) -> LLVMSymbolizer.Frame {
    guard let line else { return LLVMSymbolizer.Frame(name: name, file: nil, line: 0) }
    let path = unit.paths[line.file] ?? unit.lines?.path(ofFile: line.file)
    unit.paths[line.file] = .some(path)
    return LLVMSymbolizer.Frame(name: name, file: path, line: line.line)
  }

  private func unit(at address: UInt64) -> Unit? {
    let place = lastIndex(of: code.indices) { code[$0].addresses.lowerBound <= address }
    return place.flatMap { code[$0].addresses.contains(address) ? units[code[$0].unit] : nil }
  }

  // MARK: - Names

  /// Returns the name of a function's entry for linkers, else for people: its own, or that of what it
  /// is an instance of.
  private func name(of entry: UInt64, in unit: DwarfUnit) -> String? {
    if let name = names[entry] { return name }
    let name = findName(of: entry, in: unit)
    if !isAtLoss { names[entry] = .some(name) }
    return name
  }

  private func findName(of entry: UInt64, in first: DwarfUnit) -> String? {
    var plain: String?
    var offset = entry
    var unit = first
    // From an instance to the function and on to its declaration: two steps, but files may lie.
    for _ in 0..<8 {
      if offset < unit.offset || offset >= unit.end {
        let place = lastIndex(of: units.indices) { units[$0].place.lowerBound <= offset }
        guard let place, units[place].place.contains(offset) else { return plain }
        guard let other = units[place].header else {
          isAtLoss = true
          return plain
        }
        unit = other
      }
      guard let abbreviations = unit.abbreviations else {
        isAtLoss = true
        return plain
      }
      let start = Int(clamping: offset)
      var cursor = unit.cursor(at: offset)
      // Many may refer to the same one, and its texts and numbers be as long as the section.
      defer { sections.allowance.take(from: start, to: cursor.offset) }
      guard let entry = abbreviations[cursor.unsigned()] else { return plain }
      var next: UInt64?
      for attribute in abbreviations.attributes(of: entry) {
        let value = unit.value(attribute, &cursor)
        switch attribute.name {
        case .linkageName, .linkageNameOfMIPS:
          if let name = unit.text(value) { return name }
        case .name: plain = plain ?? unit.text(value)
        case .origin: next = unit.reference(value) ?? next
        case .specification: next = next ?? unit.reference(value)
        default: break
        }
      }
      guard let next, !sections.allowance.isSpent else { return plain }
      offset = next
    }
    return plain
  }
}
