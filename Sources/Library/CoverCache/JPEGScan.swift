/// One scan of a JPEG file, of which the mean of each block is read.
///
/// Source: ITU T.81, F.2.2 (sequential) and G.1.2.1 (the first scan of a progressive picture).
struct JPEGScan {
  /// A block of an MCU: by what it is coded and where its mean goes.
  ///
  /// Pointers, because this is read for each block; who makes one keeps what they point to.
  struct Block {
    /// Whose differences its own adds to.
    let component: Int
    /// The table of its mean.
    let means: Unmanaged<JPEGHuffmanTable>
    /// The codes of that table.
    let meanCodes: UnsafePointer<JPEGCode>
    /// The table of its other coefficients; nil when they are in other scans.
    let others: Unmanaged<JPEGHuffmanTable>?
    /// The steps of that table.
    let otherSteps: UnsafePointer<JPEGSteps>?
    /// The place of its mean in the first MCU.
    let output: UnsafeMutablePointer<UInt8>
    /// From there to the same block of the MCU to the right, and of the one below.
    let strides: (column: Int, row: Int)
    /// What the mean was divided by.
    let quantiser: Int
  }

  /// The blocks of an MCU in their order, at most ten.
  let blocks: [Block]
  /// The MCUs of the scan.
  let units: PixelSize
  /// MCUs between two restart markers; 0 for none.
  let restartInterval: Int
  /// Lower bits of the means that are left to later scans.
  let missingBits: Int

  /// Reads all means.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - position: Where the scan's data begin.
  /// - Returns: Where the data end, or a little before; nil when they are not whole.
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

  /// The mean of a block in 0...255, as libjpeg rounds it; of missing bits the middle is taken.
  @inline(__always)
  private func mean(_ sum: Int, _ quantiser: Int) -> UInt8 {
    // A DC coefficient is eight times the mean; halves because of the middle.
    let halves = sum &<< (missingBits &+ 1) &+ (1 &<< missingBits) &- 1
    let mean = (halves &* quantiser &+ 8) >> 4 &+ 128
    return UInt8(truncatingIfNeeded: max(0, min(255, mean)))
  }

  /// Reads how much the mean differs from that of the component's block before.
  @inline(__always)
  private static func difference(of block: Block, _ reader: inout JPEGBitReader) -> Int? {
    reader.refill()
    var code = block.meanCodes[Int(reader.bits >> UInt64(64 - JPEGHuffmanTable.lookupBits))]
    if code.length == 0 {
      guard let long = block.means._withUnsafeGuaranteedRef({ $0.code(in: reader.bits) })
      else { return nil }
      code = long
    }
    // No difference of 8-bit pictures takes more than 11 bits; libjpeg bears 15.
    guard code.symbol <= 15 else { return nil }
    reader.skip(Int(code.length))
    let length = code.valueLength
    guard length > 0 else { return 0 }
    let value = Int(truncatingIfNeeded: reader.bits &>> UInt64(64 &- length))
    reader.skip(length)
    // ITU T.81, F.2.2.1: the lower half of the values stands for negative ones.
    return value &>> (length &- 1) == 1 ? value : value &- (1 &<< length) &+ 1
  }

  /// Steps over the other coefficients of a block.
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
