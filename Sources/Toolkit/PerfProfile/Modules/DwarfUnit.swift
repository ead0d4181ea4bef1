internal import CDwarf

/// A compilation unit, whose functions and lines are read when an address of it is looked up.
final class DwarfUnit {
  /// A line of a source file, whose path is a text in libdw's memory.
  typealias Line = (file: UnsafePointer<CChar>?, number: Int)

  /// A range of a function's code.
  private struct Piece {
    let code: Range<UInt64>
    /// The offset of the function's entry.
    let entry: Dwarf_Off
  }

  private var root: Dwarf_Die
  /// Ascending; nil if the entries cannot be read.
  private lazy var pieces = readPieces()
  private lazy var files = readFiles()

  init(_ root: Dwarf_Die) {
    self.root = root
  }

  /// Returns the entries of the functions at an address, innermost first; empty if the unit has no
  /// function there, nil if its entries cannot be read.
  ///
  /// - Complexity: O(log *n*) in the functions, O(*n*) in the entries of the function.
  func scopes(at address: UInt64, of handle: OpaquePointer) -> [Dwarf_Die]? {
    guard let pieces else { return nil }
    let place = lastIndex(of: pieces.indices) { pieces[$0].code.lowerBound <= address }
    guard let place, pieces[place].code.contains(address) else { return [] }
    var function = Dwarf_Die()
    guard dwarf_offdie(handle, pieces[place].entry, &function) != nil else { return nil }
    var scopes = [function]
    Self.appendInlined(in: function, at: address, to: &scopes)
    return scopes.reversed()
  }

  private static func appendInlined(
    in parent: Dwarf_Die, at address: UInt64, to scopes: inout [Dwarf_Die]
  ) {
    let count = scopes.count
    parent.forEachChild { child in
      switch Int(dwarf_tag(&child)) {
      case DW_TAG_inlined_subroutine:
        guard dwarf_haspc(&child, address) == 1 else { return true }
        scopes.append(child)
        appendInlined(in: child, at: address, to: &scopes)
      case DW_TAG_lexical_block, DW_TAG_try_block, DW_TAG_catch_block:
        appendInlined(in: child, at: address, to: &scopes)
      default: break
      }
      return scopes.count == count
    }
  }

  /// Returns the line of an instruction.
  func line(at address: UInt64) -> Line {
    guard let line = dwarf_getsrc_die(&root, address) else { return (nil, 0) }
    var number: Int32 = 0
    dwarf_lineno(line, &number)
    return (dwarf_linesrc(line, nil, nil), Int(number))
  }

  /// Returns the line from which an inlined function was called.
  func call(of scope: Dwarf_Die) -> Line {
    let line = Int(clamping: scope.number(DW_AT_call_line) ?? 0)
    guard let files, let file = scope.number(DW_AT_call_file) else { return (nil, line) }
    return (dwarf_filesrc(files, Int(clamping: file), nil, nil), line)
  }

  private func readFiles() -> OpaquePointer? {
    var files: OpaquePointer?
    var count = 0
    return dwarf_getsrcfiles(&root, &files, &count) == 0 ? files : nil
  }

  private func readPieces() -> [Piece]? {
    var pieces: [Piece] = []
    guard Self.append(functionsIn: root, to: &pieces) else { return nil }
    return pieces.sorted { $0.code.lowerBound < $1.code.lowerBound }
  }

  /// Appends the functions below an entry; false if an entry cannot be read.
  private static func append(functionsIn parent: Dwarf_Die, to pieces: inout [Piece]) -> Bool {
    var isReadable = true
    let isWhole = parent.forEachChild { child in
      switch Int(dwarf_tag(&child)) {
      case DW_TAG_inlined_subroutine, DW_TAG_formal_parameter, DW_TAG_variable, DW_TAG_member,
        DW_TAG_enumeration_type, DW_TAG_array_type, DW_TAG_subroutine_type:
        // These contain no functions with code.
        return true
      case DW_TAG_subprogram:
        let offset = dwarf_dieoffset(&child)
        child.forEachRange { pieces.append(Piece(code: $0, entry: offset)) }
      default: break
      }
      if dwarf_haschildren(&child) == 1 {
        isReadable = append(functionsIn: child, to: &pieces)
      }
      return isReadable
    }
    return isWhole && isReadable
  }
}

extension Dwarf_Die {
  /// Calls `body` with each range of an entry's code, except for code that the linker has discarded,
  /// which starts at 0.
  func forEachRange(_ body: (Range<UInt64>) -> Void) {
    var entry = self
    var (base, low, high): (Dwarf_Addr, Dwarf_Addr, Dwarf_Addr) = (0, 0, 0)
    var offset = 0
    while true {
      offset = dwarf_ranges(&entry, offset, &base, &low, &high)
      guard offset > 0 else { return }
      if low > 0, low < high { body(low..<high) }
    }
  }

  /// Calls `body` with each child until it returns false; returns false if a child cannot be read.
  @discardableResult
  fileprivate func forEachChild(_ body: (inout Dwarf_Die) -> Bool) -> Bool {
    var parent = self
    var child = Dwarf_Die()
    var result = dwarf_child(&parent, &child)
    while result == 0 {
      guard body(&child) else { return true }
      var next = Dwarf_Die()
      result = dwarf_siblingof(&child, &next)
      child = next
    }
    return result > 0
  }

  /// Returns the text of an attribute, also of the entry that this one is an instance of.
  func text(_ attribute: Int) -> String? {
    var entry = self
    var value = Dwarf_Attribute()
    guard dwarf_attr_integrate(&entry, UInt32(attribute), &value) != nil else { return nil }
    return dwarf_formstring(&value).map { String(cString: $0) }
  }

  /// Returns the number in an attribute.
  fileprivate func number(_ attribute: Int) -> UInt64? {
    var entry = self
    var value = Dwarf_Attribute()
    var number: Dwarf_Word = 0
    guard dwarf_attr(&entry, UInt32(attribute), &value) != nil,
      dwarf_formudata(&value, &number) == 0
    else { return nil }
    return number
  }
}
