/// The functions of a unit, and what the compiler has inlined into each.
///
/// All entries of a unit must be passed over once to find its functions, since nothing else says
/// where they begin. What is inside of one is read when somebody asks for an address of it.
struct DwarfFunctions {
  /// A piece of code of a function.
  private struct Piece {
    let code: Range<UInt64>
    /// The offset of the function's entry.
    let entry: UInt64
  }

  /// A function, or one that was inlined into it, callers first.
  struct Scope {
    /// Index of the function that it was inlined into; negative for the function itself.
    let parent: Int
    let code: [Range<UInt64>]
    /// The offset of its entry.
    let entry: UInt64
    /// Where it was called: the number of a file, and a line.
    let call: (file: UInt64, line: Int)
  }

  /// Lists of children within each other, several times what compilers write.
  ///
  /// An address has a frame for each of them.
  private static let mostNested = 512

  private let unit: DwarfUnit
  private let abbreviations: DwarfAbbreviations
  /// Ascending.
  private let pieces: [Piece]
  private var scopes: [UInt64: [Scope]] = [:]

  /// Finds the functions of a unit; nil when nobody can read its entries.
  init?(_ unit: DwarfUnit) {
    guard let abbreviations = unit.abbreviations else { return nil }
    self.unit = unit
    self.abbreviations = abbreviations
    var pieces: [Piece] = []
    var cursor = unit.cursor(at: unit.root)
    while UInt64(cursor.offset) < unit.end, !cursor.isPastEnd {
      let offset = UInt64(cursor.offset)
      let code = cursor.unsigned()
      // The end of a list of children.
      if code == 0 { continue }
      guard let entry = abbreviations[code] else { break }
      guard entry.tag == .function, entry.isCode else {
        unit.skip(entry, of: abbreviations, &cursor)
        continue
      }
      for code in Self.read(entry, of: abbreviations, unit, &cursor).code {
        pieces.append(Piece(code: code, entry: offset))
      }
    }
    self.pieces = pieces.sorted { $0.code.lowerBound < $1.code.lowerBound }
  }

  /// Returns the functions that an instruction belongs to, innermost first; none where the unit has
  /// no function there, nil when nobody can read what is inside of it.
  mutating func scopes(at address: UInt64) -> [Scope]? {
    let place = lastIndex(of: pieces.indices) { pieces[$0].code.lowerBound <= address }
    guard let place, pieces[place].code.contains(address) else { return [] }
    let entry = pieces[place].entry
    guard let all = scopes[entry] ?? read(at: entry) else { return nil }
    scopes[entry] = all
    var chain: [Scope] = []
    var innermost = -1
    for (index, scope) in all.enumerated()
    where scope.parent == innermost && scope.code.contains(where: { $0.contains(address) }) {
      chain.insert(scope, at: 0)
      innermost = index
    }
    return chain
  }

  /// Reads what is inside of a function; nil when it is nested too deeply.
  private func read(at offset: UInt64) -> [Scope]? {
    var cursor = unit.cursor(at: offset)
    // What is inside of a function within a function is read for both.
    defer { unit.sections.allowance.take(from: Int(clamping: offset), to: cursor.offset) }
    var scopes: [Scope] = []
    /// The function that holds the entries of each list of children that has begun; nil for functions
    /// within the function, which are their own.
    var holders: [Int?] = []
    repeat {
      let entryOffset = UInt64(cursor.offset)
      let code = cursor.unsigned()
      if code == 0 {
        _ = holders.popLast()
        continue
      }
      guard let entry = abbreviations[code] else { break }
      var holder = holders.last ?? -1
      let isFunction = entry.tag == .function
      if isFunction && !holders.isEmpty {
        unit.skip(entry, of: abbreviations, &cursor)
        holder = nil
      } else if let parent = holder, entry.isCode, isFunction || entry.tag == .inlinedFunction {
        let (code, call) = Self.read(entry, of: abbreviations, unit, &cursor)
        holder = scopes.count
        scopes.append(Scope(parent: parent, code: code, entry: entryOffset, call: call))
      } else {
        unit.skip(entry, of: abbreviations, &cursor)
      }
      if entry.hasChildren { holders.append(holder) }
      guard holders.count <= Self.mostNested else { return nil }
    } while !holders.isEmpty && UInt64(cursor.offset) < unit.end && !cursor.isPastEnd
    return scopes
  }

  /// Reads an entry's code and where it was called.
  private static func read(
    _ entry: DwarfAbbreviations.Entry, of abbreviations: DwarfAbbreviations, _ unit: DwarfUnit,
    _ cursor: inout DwarfCursor
  ) -> (code: [Range<UInt64>], call: (file: UInt64, line: Int)) {
    var (low, high, list): (DwarfUnit.Value?, DwarfUnit.Value?, DwarfUnit.Value?)
    var call: (file: UInt64, line: Int) = (0, 0)
    for attribute in abbreviations.attributes(of: entry) {
      let value = unit.value(attribute, &cursor)
      switch attribute.name {
      case .lowAddress: low = value
      case .highAddress: high = value
      case .ranges: list = value
      case .callFile: call.file = value.number
      case .callLine: call.line = Int(clamping: value.number)
      default: break
      }
    }
    return (unit.ranges(low: low, high: high, list: list), call)
  }
}
