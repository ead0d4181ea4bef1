/// The debug information of a file: which functions, inlined ones among them, and which lines an
/// address belongs to.
///
/// It is read as far as it is asked for, unit by unit. llvm-symbolizer answers the same, but makes an
/// object of each entry of a unit to do so.
final class DwarfFile {
  private let units: DwarfUnits
  /// Those of the file that this one shares with others.
  private let shared: DwarfUnits?
  /// Why there is no such file.
  private let obstacle: PerfProfileError
  /// Which unit has which code, ascending.
  private var code: [(addresses: Range<UInt64>, unit: Int)] = []
  private let sections: DwarfSections
  private let symbols: ElfSymbols
  /// The names of entries that were met, nil of those without one.
  private var names: [UInt64: String?] = [:]
  /// Whether something that is needed cannot be read.
  private var isAtLoss = false

  /// Why names or folders are missing from what was found so far; nil when none are.
  var failure: PerfProfileError? {
    sections.lacksShared || shared?.sections.lacksShared == true
      || shared?.sections.allowance.isSpent == true ? obstacle : nil
  }

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
    (shared, obstacle) = Self.shared(by: file)
    sections.shared = shared?.sections
    guard let units = DwarfUnits(sections) else { return nil }
    self.units = units
    let listed = sections.codeOfUnits()
    for (number, unit) in units.all.enumerated() {
      guard let pieces = listed[unit.place.lowerBound] ?? unit.header?.code,
        !sections.allowance.isSpent
      else { return nil }
      for addresses in pieces { code.append((addresses, number)) }
    }
    code.sort { $0.addresses.lowerBound < $1.addresses.lowerBound }
  }

  /// Reads what a file shares with others, or says why not.
  private static func shared(
    by file: ElfImage
  ) -> (units: DwarfUnits?, obstacle: PerfProfileError) {
    var reason = "it does not name the file that it shares debug information with"
    do throws(PerfProfileError) {
      guard let image = try SharedDebugFile.open(for: file) else {
        return (nil, .image(path: file.path, reason: reason))
      }
      reason = "it is of a form that is not known, or refers to the same bytes over and over"
      let obstacle = PerfProfileError.image(path: image.path, reason: reason)
      let sections = try DwarfSections(image, needsEntries: false)
      return (sections.flatMap(DwarfUnits.init), obstacle)
    } catch {
      return (nil, error)
    }
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
    guard unit.header != nil else {
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
      // One that does not say where its function ends may be of one before this.
      let sure = isOutermost && function?.isSure == true ? symbol : nil
      let name = sure ?? name(of: scope.entry) ?? (isOutermost ? symbol : nil)
      if let name { frames.append(frame(name, line, in: unit)) }
      line = (scope.call.file, scope.call.line)
    }
    if scopes.isEmpty, let symbol { frames.append(frame(symbol, line, in: unit)) }
    return frames
  }

  private func frame(
    _ name: String, _ line: (file: UInt64, line: Int)?, in unit: DwarfUnits.Unit
  ) -> LLVMSymbolizer.Frame {
    guard let line else { return LLVMSymbolizer.Frame(name: name, file: nil, line: 0) }
    let path = unit.paths[line.file] ?? unit.lines?.path(ofFile: line.file)
    unit.paths[line.file] = .some(path)
    return LLVMSymbolizer.Frame(name: name, file: path, line: line.line)
  }

  private func unit(at address: UInt64) -> DwarfUnits.Unit? {
    let place = lastIndex(of: code.indices) { code[$0].addresses.lowerBound <= address }
    return place.flatMap { code[$0].addresses.contains(address) ? units.all[code[$0].unit] : nil }
  }

  // MARK: - Names

  /// Returns the name of a function's entry for linkers, else for people: its own, or that of what it
  /// is an instance of.
  private func name(of entry: UInt64) -> String? {
    if let name = names[entry] { return name }
    let name = findName(of: entry)
    if !isAtLoss { names[entry] = .some(name) }
    return name
  }

  private func findName(of entry: UInt64) -> String? {
    var plain: String?
    var (units, offset) = (self.units, entry)
    // From an instance to the function and on to its declaration: two steps, but files may lie.
    for _ in 0..<8 {
      guard let place = units.unit(ofEntryAt: offset) else { return plain }
      guard let unit = place.header, let abbreviations = unit.abbreviations else {
        // The tool knows nothing of a shared file.
        if units === shared { sections.lacksShared = true } else { isAtLoss = true }
        return plain
      }
      let start = Int(clamping: offset)
      var cursor = unit.cursor(at: offset)
      // Many may refer to the same one, and its texts and numbers be as long as the section.
      defer { unit.sections.allowance.take(from: start, to: cursor.offset) }
      guard let entry = abbreviations[cursor.unsigned()] else { return plain }
      var origin: DwarfUnit.Value?
      for attribute in abbreviations.attributes(of: entry) {
        let value = unit.value(attribute, &cursor)
        switch attribute.name {
        case .linkageName, .linkageNameOfMIPS:
          if let name = unit.text(value) { return name }
        case .name: plain = plain ?? unit.text(value)
        case .origin: origin = value
        case .specification: origin = origin ?? value
        default: break
        }
      }
      guard let origin, let next = target(of: origin, in: unit, of: units),
        !unit.sections.allowance.isSpent
      else { return plain }
      (units, offset) = next
    }
    return plain
  }

  /// Returns what an entry of a unit refers to, in its file or in the one that is shared; or nil.
  private func target(
    of value: DwarfUnit.Value, in unit: DwarfUnit, of units: DwarfUnits
  ) -> (units: DwarfUnits, offset: UInt64)? {
    guard let offset = unit.sharedReference(value) else {
      return unit.reference(value).map { (units, $0) }
    }
    guard unit.sections.sharedSections() != nil, let shared else { return nil }
    return (shared, offset)
  }
}
