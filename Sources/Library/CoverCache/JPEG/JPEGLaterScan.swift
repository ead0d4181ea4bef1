/// One scan of a progressive JPEG file after that of the means, read without its values.
///
/// Its data do not change the means. They are read because damaged data make the file one that
/// cannot be decoded.
///
/// Source: ITU T.81, G.1.2.
struct JPEGLaterScan {
  /// The coefficients of the scan, from 1 to 63; nil for a further bit of the means.
  let band: ClosedRange<Int>?
  /// Whether the scan adds a bit to coefficients of an earlier scan.
  let isRefinement: Bool
  /// The number of MCUs.
  let units: Int
  /// The number of blocks per MCU.
  let blocksPerUnit: Int
  /// The number of MCUs between two restart markers; 0 for none.
  let restartInterval: Int

  /// Reads the data of a scan from a position.
  ///
  /// Each element of `nonzero` has a bit for each coefficient of a block that is not zero; the scan
  /// adds those that it finds. A further bit of the means needs neither them nor a table.
  ///
  /// - Returns: The end of the data, or a position slightly before it; nil when the data are
  ///   incomplete or invalid.
  func read(
    _ bytes: UnsafeBufferPointer<UInt8>, from position: Int, table: JPEGHuffmanTable?,
    nonzero: UnsafeMutableBufferPointer<UInt64>
  ) -> Int? {
    var reader = JPEGBitReader(bytes, at: position)
    let interval = restartInterval > 0 ? restartInterval : units
    for (number, first) in stride(from: 0, to: units, by: interval).enumerated() {
      if number > 0 { guard reader.restart((number - 1) & 7) else { return nil } }
      let count = min(interval, units - first)
      if let band, let table {
        let blocks = UnsafeMutableBufferPointer(rebasing: nonzero[first..<first + count])
        guard
          isRefinement
            ? Self.refine(blocks, band, table, &reader) : Self.read(blocks, band, table, &reader)
        else { return nil }
      } else {
        guard Self.skip(count * blocksPerUnit, &reader) else { return nil }
      }
    }
    return reader.position
  }

  /// Reads the first bits of coefficients.
  private static func read(
    _ blocks: UnsafeMutableBufferPointer<UInt64>, _ band: ClosedRange<Int>,
    _ table: JPEGHuffmanTable, _ reader: inout JPEGBitReader
  ) -> Bool {
    var block = 0
    while block < blocks.count {
      var index = band.lowerBound
      var found: UInt64 = 0
      var emptyBlocks = 0
      while index <= band.upperBound {
        guard let code = next(table, &reader) else { return false }
        if code.valueLength > 0 {
          index &+= code.coefficients
          guard index <= 64 else { return false }
          found |= 1 &<< UInt64(truncatingIfNeeded: index &- 1)
          reader.skip(code.valueLength)
        } else if code.symbol == 0xF0 {
          index &+= 16
        } else {
          emptyBlocks = run(of: code, &reader) &- 1
          break
        }
      }
      guard reader.count >= 0 else { return false }
      blocks[block] |= found
      block &+= 1 &+ emptyBlocks
    }
    return block == blocks.count
  }

  /// Reads one more bit of the coefficients that are not zero, and those that become so.
  private static func refine(
    _ blocks: UnsafeMutableBufferPointer<UInt64>, _ band: ClosedRange<Int>,
    _ table: JPEGHuffmanTable, _ reader: inout JPEGBitReader
  ) -> Bool {
    let inBand =
      (UInt64.max >> UInt64(63 - band.upperBound)) & (UInt64.max << UInt64(band.lowerBound))
    var emptyBlocks = 0
    for block in blocks.indices {
      let old = blocks[block] & inBand
      var rest = inBand
      while emptyBlocks == 0, rest != 0 {
        guard let code = next(table, &reader) else { return false }
        let isNew = code.valueLength > 0
        if isNew {
          guard code.valueLength == 1 else { return false }
          reader.skip(1)
        } else if code.symbol != 0xF0 {
          emptyBlocks = run(of: code, &reader)
          break
        }
        // The code skips zeros; the next zero is the new coefficient or the last one of the run.
        var zeros = rest & ~old
        for _ in 1..<code.coefficients { zeros &= zeros &- 1 }
        let target = zeros & (0 &- zeros)
        guard !isNew || target != 0 else { return false }
        let passed = rest & (target &- 1)
        guard skip((old & passed).nonzeroBitCount, &reader) else { return false }
        if isNew { blocks[block] |= target }
        rest &= ~(passed | target)
      }
      if emptyBlocks > 0 {
        guard skip((old & rest).nonzeroBitCount, &reader) else { return false }
        emptyBlocks &-= 1
      }
    }
    return emptyBlocks == 0
  }

  /// Reads the next code; nil when there is none.
  @inline(__always)
  private static func next(
    _ table: JPEGHuffmanTable, _ reader: inout JPEGBitReader
  ) -> JPEGCode? {
    reader.refill()
    var code = table.codes[Int(reader.bits >> UInt64(64 - JPEGHuffmanTable.lookupBits))]
    if code.length == 0 {
      guard let long = table.code(in: reader.bits) else { return nil }
      code = long
    }
    reader.skip(Int(code.length))
    return code
  }

  /// Reads the number of blocks, from this one on, that have no further coefficients.
  @inline(__always)
  private static func run(of code: JPEGCode, _ reader: inout JPEGBitReader) -> Int {
    let length = code.coefficients &- 1
    guard length > 0 else { return 1 }
    let extra = Int(truncatingIfNeeded: reader.bits &>> UInt64(64 &- length))
    reader.skip(length)
    return 1 &<< length &+ extra
  }

  /// Skips bits; returns false when they are not there.
  @inline(__always)
  private static func skip(_ count: Int, _ reader: inout JPEGBitReader) -> Bool {
    var rest = count
    while rest > 0 {
      reader.refill()
      let part = min(rest, 32)
      reader.skip(part)
      rest &-= part
    }
    return reader.count >= 0
  }
}
