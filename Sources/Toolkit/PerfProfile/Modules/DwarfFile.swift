internal import CDwarf
internal import Glibc
internal import PerfModel

/// The debug information of a file: the functions, inlined functions and lines of an address.
///
/// libdw decodes units, entries and line tables. This class finds the unit and the function of an
/// address by binary search, because libdw's own search either needs `.debug_aranges`, which clang does
/// not write, or walks a whole unit for each address. It belongs to one thread at a time.
final class DwarfFile {
  private static let zstandard: UInt32 = 2

  /// Why names are missing: libdw does not find the file that several files share (dwz(1)).
  let failure: PerfProfileError?
  private let symbols: ElfSymbols
  private let information: DwarfInformation
  private var units: [DwarfUnit] = []
  /// The code of the units, ascending.
  private var code: [(addresses: Range<UInt64>, unit: Int)] = []
  /// The names of entries by offset in `.debug_info`; nil for an entry without a name.
  private var names: [UInt64: String?] = [:]
  /// The paths of source files by the address of their text in libdw's memory.
  private var paths: [UnsafePointer<CChar>: String?] = [:]

  /// Finds the units of a file, or of the separate file with its debug information.
  ///
  /// The result is nil if there is no debug information, or if only llvm-symbolizer can read it: split
  /// DWARF, or sections compressed by Zstandard.
  ///
  /// - Parameters:
  ///   - image: The file.
  ///   - symbols: Its symbol table, whose names take precedence.
  /// - Throws: `image` if the debug information is damaged.
  init?(_ image: ElfImage, symbols: ElfSymbols) throws(PerfProfileError) {
    guard let file = try DebugFile.find(for: image), !Self.usesZstandard(file) else { return nil }
    self.symbols = symbols
    let information = try DwarfInformation(file)
    self.information = information
    let link = file.sections().first { $0.name == ".gnu_debugaltlink" }?.section
    failure = link.flatMap { link in
      guard dwarf_getalt(information.handle) == nil else { return nil }
      let name = ByteReader(bytes: file.memory.bytes).text(link.offset)
      return .image(
        path: name ?? "", reason: "'\(file.path)' shares it with other files, but it is missing")
    }
    guard try addUnits(of: file) else { return nil }
    code.sort { $0.addresses.lowerBound < $1.addresses.lowerBound }
  }

  private static func usesZstandard(_ file: ElfImage) -> Bool {
    file.sections().contains { name, section in
      name.hasPrefix(".debug_") && section.isCompressed
        && file.memory.bytes(of: section).prefix(4).elementsEqual(
          withUnsafeBytes(of: zstandard.littleEndian, Array.init))
    }
  }

  /// Collects the units with code; false if a unit is split or a later one cannot be read.
  ///
  /// - Throws: `image` if the first unit cannot be read, as in a damaged section.
  private func addUnits(of file: ElfImage) throws(PerfProfileError) -> Bool {
    var unit: OpaquePointer?
    var entry = Dwarf_Die()
    var type: UInt8 = 0
    while true {
      let result = dwarf_get_units(information.handle, unit, &unit, nil, &type, &entry, nil)
      if result != 0, unit == nil, DebugFile.hasUnits(file) {
        throw .image(path: file.path, reason: "its debug information is damaged")
      }
      guard result == 0 else { return result > 0 }
      let count = code.count
      entry.forEachRange { code.append(($0, units.count)) }
      if code.count == count { continue }
      if Int(type) == DW_UT_skeleton { return false }
      units.append(DwarfUnit(entry, of: information.handle))
    }
  }

  /// Returns the frames of an address, innermost first; empty if nothing is known, nil if only
  /// llvm-symbolizer can answer.
  func frames(at address: UInt64) -> [StackFrame]? {
    let function = symbols.function(at: address)
    let symbol = function?.name
    let place = lastIndex(of: code.indices) { code[$0].addresses.lowerBound <= address }
    guard let place, code[place].addresses.contains(address) else {
      return symbol.map { [StackFrame(name: $0, file: nil, line: 0)] } ?? []
    }
    let unit = units[code[place].unit]
    guard let scopes = unit.scopes(at: address) else { return nil }
    // The line of the address belongs to the innermost function, a call's line to its caller.
    var line = unit.line(at: address)
    var frames: [StackFrame] = []
    for (depth, scope) in scopes.enumerated() {
      let isOutermost = depth == scopes.count - 1
      // A symbol without a size may belong to the function before this one.
      let sure = isOutermost && function?.isSure == true ? symbol : nil
      let name = sure ?? name(of: scope) ?? (isOutermost ? symbol : nil)
      if let name { frames.append(frame(name, line, in: unit)) }
      line = unit.call(of: scope)
    }
    if scopes.isEmpty, let symbol { frames.append(frame(symbol, line, in: unit)) }
    return frames
  }

  private func frame(
    _ name: String, _ line: DwarfUnit.Line, in unit: DwarfUnit
  ) -> StackFrame {
    StackFrame(
      name: name, file: line.file.flatMap { path($0, in: unit) }, line: line.number)
  }

  private func path(_ text: UnsafePointer<CChar>, in unit: DwarfUnit) -> String? {
    if let path = paths[text] { return path }
    var path: String? = String(cString: text)
    if let relative = path, LLVMSymbolizer.isCompilerGenerated(relative) {
      path = nil
    } else if let relative = path, let folder = unit.folder, !relative.hasPrefix("/"),
      // libdw adds the compilation folder to files in it, but not to files in relative folders.
      !relative.hasPrefix("\(folder)/")
    {
      path = "\(folder)/\(relative)"
    }
    paths[text] = .some(path)
    return path
  }

  /// Returns the linkage name of a function, or else its source name; from its declaration if needed.
  private func name(of entry: Dwarf_Die) -> String? {
    var entry = entry
    let offset = dwarf_dieoffset(&entry)
    if let name = names[offset] { return name }
    let name =
      [DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name].lazy
      .compactMap { entry.text($0) }.first
    names[offset] = .some(name)
    return name
  }
}

/// A file's debug information as libdw reads it.
final class DwarfInformation {
  let handle: OpaquePointer
  private let file: Int32

  /// Opens the debug information of a file.
  ///
  /// libelf maps the file again, because it changes the headers of compressed sections in memory.
  ///
  /// - Throws: `image` if libdw cannot read it.
  init(_ image: ElfImage) throws(PerfProfileError) {
    file = open(image.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .image(path: image.path, reason: systemMessage(errno)) }
    guard let handle = dwarf_begin(file, DWARF_C_READ) else {
      close(file)
      throw .image(
        path: image.path,
        reason: "its debug information is damaged: \(String(cString: dwarf_errmsg(-1)))")
    }
    self.handle = handle
  }

  deinit {
    dwarf_end(handle)
    close(file)
  }
}
