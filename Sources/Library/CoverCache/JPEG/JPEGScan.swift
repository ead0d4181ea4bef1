/// One scan of a JPEG file, from which the mean of each block is read.
///
/// Source: ITU T.81, F.2.2 (sequential) and G.1.2.1 (the first scan of a progressive picture).
struct JPEGScan {
  /// The coding tables of a block of an MCU and the destination of its mean.
  ///
  /// It holds unretained pointers because it is read for each block. The creator keeps the targets
  /// alive.
  struct Block {
    /// The index of the running sum to which the block's differences are added.
    let component: Int
    /// The table of the mean.
    let means: Unmanaged<JPEGHuffmanTable>
    /// The codes of the table of the mean.
    let meanCodes: UnsafePointer<JPEGCode>
    /// The table of the other coefficients; nil when they are in other scans.
    let others: Unmanaged<JPEGHuffmanTable>?
    /// The steps of the table of the other coefficients.
    let otherSteps: UnsafePointer<JPEGSteps>?
    /// The destination of the block's mean in the first MCU.
    let output: UnsafeMutablePointer<UInt8>
    /// The distances to the same block in the MCU to the right and in the MCU below.
    let strides: (column: Int, row: Int)
    /// The divisor of the mean.
    let quantiser: Int
  }

  /// The blocks of an MCU in order, at most ten.
  let blocks: [Block]
  /// The number of MCUs of the scan.
  let units: PixelSize
  /// The number of MCUs between two restart markers; 0 for none.
  let restartInterval: Int
  /// The number of low bits of the means that later scans add.
  let missingBits: Int

  /// Reads all means from the start of the scan's data.
  ///
  /// - Returns: The end of the data, or a position slightly before it; nil when the data are
  ///   incomplete.
  func read(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int) -> Int? {
    blocks.withUnsafeBufferPointer { blocks in
      var reader = JPEGBitReader(bytes, at: position)
      var sums: SIMD4<Int> = .zero
      var untilRestart = restartInterval
      var restarts = 0
      for row in 0..<units.height {
        for column in 0..<units.width {
          if restartInterval > 0, untilRestart == 0 {
            guard reader.restart(restarts & 7) else { return nil }
            restarts += 1
            untilRestart = restartInterval
            sums = .zero
          }
          untilRestart -= 1
          for block in blocks {
            guard let difference = Self.difference(of: block, &reader) else { return nil }
            let sum = sums[block.component] &+ difference
            sums[block.component] = sum
            block.output[row &* block.strides.row &+ column &* block.strides.column] =
              mean(sum, block.quantiser)
            guard Self.stepOverOthers(of: block, &reader) else { return nil }
          }
          guard reader.count >= 0 else { return nil }
        }
      }
      return reader.position
    }
  }

  /// Returns the mean of a block, rounded as in libjpeg; missing bits get the middle value.
  @inline(__always)
  private func mean(_ sum: Int, _ quantiser: Int) -> UInt8 {
    // A DC coefficient is eight times the mean. The factor of two represents the middle value.
    let halves = sum &<< (missingBits &+ 1) &+ (1 &<< missingBits) &- 1
    let mean = (halves &* quantiser &+ 8) >> 4 &+ 128
    return UInt8(truncatingIfNeeded: max(0, min(255, mean)))
  }

  /// Reads the difference between the means of this block and the component's previous block.
  @inline(__always)
  private static func difference(of block: Block, _ reader: inout JPEGBitReader) -> Int? {
    reader.refill()
    var code = block.meanCodes[Int(reader.bits >> UInt64(64 - JPEGHuffmanTable.lookupBits))]
    if code.length == 0 {
      guard let long = block.means._withUnsafeGuaranteedRef({ $0.code(in: reader.bits) })
      else { return nil }
      code = long
    }
    // Differences of 8-bit pictures need at most 11 bits; libjpeg accepts 15.
    guard code.symbol <= 15 else { return nil }
    reader.skip(Int(code.length))
    let length = code.valueLength
    guard length > 0 else { return 0 }
    let value = Int(truncatingIfNeeded: reader.bits &>> UInt64(64 &- length))
    reader.skip(length)
    // ITU T.81, F.2.2.1: the lower half of the values encodes negative differences.
    return value &>> (length &- 1) == 1 ? value : value &- (1 &<< length) &+ 1
  }

  /// Skips the other coefficients of a block.
  @inline(__always)
  private static func stepOverOthers(of block: Block, _ reader: inout JPEGBitReader) -> Bool {
    guard let otherSteps = block.otherSteps, let others = block.others else { return true }
    var index = 1
    while index < 64 {
      reader.refill()
      let steps = otherSteps[Int(reader.bits >> UInt64(64 - JPEGHuffmanTable.lookupBits))]
      let next = index &+ Int(steps.coefficients)
      if steps.bits > 0, next < 64 {
        reader.skip(Int(steps.bits))
        if steps.endsBlock { return true }
        index = next
      } else {
        // A long code, or codes of which some may belong to the next block.
        guard let code = others._withUnsafeGuaranteedRef({ $0.code(in: reader.bits) })
        else { return false }
        reader.skip(code.totalLength)
        if code.endsBlock { return true }
        index &+= code.coefficients
      }
    }
    return true
  }
}
