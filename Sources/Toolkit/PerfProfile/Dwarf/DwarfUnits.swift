/// The units of a file, of which no more is read than somebody asks for.
final class DwarfUnits {
  /// A unit.
  final class Unit {
    /// Where it is in its section.
    let place: Range<UInt64>
    /// Nil when nobody can read it.
    private(set) lazy var header = readHeader()
    lazy var functions = header.flatMap(DwarfFunctions.init)
    lazy var lines = header.flatMap(DwarfLines.init)
    /// The paths of files that were met, nil of code that belongs to none.
    var paths: [UInt64: String?] = [:]
    private let unread: DwarfUnit

    fileprivate init(_ unread: DwarfUnit) {
      self.unread = unread
      place = unread.offset..<unread.end
    }

    private func readHeader() -> DwarfUnit? {
      var unit = unread
      return unit.readRoot() ? unit : nil
    }
  }

  let sections: DwarfSections
  /// Ascending.
  let all: [Unit]

  /// Finds the units; nil when one is of a form that is not known.
  init?(_ sections: DwarfSections) {
    self.sections = sections
    let tables = DwarfAbbreviationTables(sections, addressBytes: 8)
    var found: [Unit] = []
    var offset: UInt64 = 0
    while offset < UInt64(sections.info.count) {
      let read = try? DwarfUnit.readHeader(sections, at: offset, tables: tables)
      guard let (header, end) = read else { return nil }
      if let header { found.append(Unit(header)) }
      offset = end
    }
    all = found
  }

  /// Returns the unit that an entry is in, or nil.
  ///
  /// - Complexity: O(log *n*).
  func unit(ofEntryAt offset: UInt64) -> Unit? {
    let place = lastIndex(of: all.indices) { all[$0].place.lowerBound <= offset }
    return place.flatMap { all[$0].place.contains(offset) ? all[$0] : nil }
  }
}
