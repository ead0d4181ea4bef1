internal import CDwarf
internal import PerfModel

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

  private let handle: OpaquePointer
  private var root: Dwarf_Die
  /// Ascending; nil if the entries cannot be read.
  private lazy var pieces = readPieces()
  private lazy var files = readFiles()
  /// The folder in which the compiler ran.
  private(set) lazy var folder = root.text(DW_AT_comp_dir)

  init(_ root: Dwarf_Die, of handle: OpaquePointer) {
    self.root = root
    self.handle = handle
  }

  /// Returns the entries of the functions at an address, innermost first; empty if the unit has no
  /// function there, nil if its entries cannot be read.
  ///
  /// - Complexity: O(log *n*) in the functions, O(*n*) in the entries of the function.
  func scopes(at address: UInt64) -> [Dwarf_Die]? {
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
    let offset = dwarf_dieoffset(&root)
    let unit = offset &- dwarf_cuoffset(&root)
    var end: Dwarf_Off = 0
    guard dwarf_next_unit(handle, unit, &end, nil, nil, nil, nil, nil, nil, nil) == 0,
      end > offset, let address = root.addr
    else { return nil }
    var walk = FunctionWalk(end: address + Int(end - offset))
    _ = walk.visitChildren(of: root)
    return walk.isReadable
      ? walk.pieces.sorted { $0.code.lowerBound < $1.code.lowerBound } : nil
  }

  /// A walk over all entries of a unit, which collects the functions.
  private struct FunctionWalk {
    /// The end of the unit in libdw's memory.
    let end: UnsafeMutableRawPointer
    private(set) var pieces: [Piece] = []
    private(set) var isReadable = true

    init(end: UnsafeMutableRawPointer) {
      self.end = end
    }

    /// Visits the children of an entry, and returns the address after them or nil if it is unknown.
    ///
    /// To find a sibling, libdw passes over all children. The walk has already done this, so it
    /// continues after them and reads each entry once.
    mutating func visitChildren(of parent: Dwarf_Die) -> UnsafeMutableRawPointer? {
      var parent = parent
      var child = Dwarf_Die()
      var result = dwarf_child(&parent, &child)
      while result == 0 {
        let address = visit(&child)
        if let address, address < end {
          // A zero byte ends a list of children.
          if address.load(as: UInt8.self) == 0 { return address + 1 }
          child = Dwarf_Die(addr: address, cu: child.cu, abbrev: nil, padding__: 0)
          continue
        }
        var sibling = Dwarf_Die()
        result = dwarf_siblingof(&child, &sibling)
        // For the last child libdw stores the address of the list's end.
        if result > 0 { return sibling.addr.map { $0 + 1 } }
        child = sibling
      }
      if result < 0 { isReadable = false }
      return nil
    }

    /// Visits an entry, and returns the address after its children or nil if it did not visit them.
    private mutating func visit(_ entry: inout Dwarf_Die) -> UnsafeMutableRawPointer? {
      switch Int(dwarf_tag(&entry)) {
      case DW_TAG_inlined_subroutine, DW_TAG_formal_parameter, DW_TAG_variable, DW_TAG_member,
        DW_TAG_enumeration_type, DW_TAG_array_type, DW_TAG_subroutine_type:
        // These contain no functions with code.
        return nil
      case DW_TAG_subprogram:
        let offset = dwarf_dieoffset(&entry)
        entry.forEachRange { pieces.append(Piece(code: $0, entry: offset)) }
      default: break
      }
      return dwarf_haschildren(&entry) == 1 ? visitChildren(of: entry) : nil
    }
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

  /// Calls `body` with each child until it returns false.
  fileprivate func forEachChild(_ body: (inout Dwarf_Die) -> Bool) {
    var parent = self
    var child = Dwarf_Die()
    var result = dwarf_child(&parent, &child)
    while result == 0, body(&child) {
      var sibling = Dwarf_Die()
      result = dwarf_siblingof(&child, &sibling)
      child = sibling
    }
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
