extension DwarfSections {
  /// Returns the code of units by their offsets, as the table for that says (DWARF 5, 6.1.2).
  ///
  /// Without it the first entry of each unit must be read, of which a program may have thousands. GCC
  /// writes it and clang does not, so that units may be missing.
  func codeOfUnits() -> [UInt64: [Range<UInt64>]] {
    var found: [UInt64: [Range<UInt64>]] = [:]
    var cursor = cursor(addressRanges, at: 0)
    while cursor.offset < addressRanges.count {
      let start = cursor.offset
      let length = cursor.load(as: UInt32.self)
      let end = cursor.offset + Int(length)
      let version = cursor.load(as: UInt16.self)
      let unit = UInt64(cursor.load(as: UInt32.self))
      let sizes = (address: cursor.load(as: UInt8.self), segment: cursor.load(as: UInt8.self))
      // What cannot be read, as the 64-bit format, leaves the rest to the units themselves.
      guard version == 2, sizes == (8, 0), length < 0xffff_fff0, end <= addressRanges.count else {
        break
      }
      // Pairs begin at a multiple of their size.
      cursor.skip(UInt64((start - cursor.offset) & 15))
      var code: [Range<UInt64>] = []
      while cursor.offset + 16 <= end {
        let (low, bytes) = (cursor.load(as: UInt64.self), cursor.load(as: UInt64.self))
        // What the linker has thrown away begins at 0.
        if low > 0, low < low &+ bytes { code.append(low..<(low &+ bytes)) }
      }
      found[unit, default: []] += code
      cursor = self.cursor(addressRanges, at: UInt64(end))
    }
    return found
  }
}
