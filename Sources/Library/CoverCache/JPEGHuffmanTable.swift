/// A code of a Huffman table: how long it is and what it stands for.
struct JPEGCode {
  /// In bits; 0 where the bits that were looked up are no code or too few for it.
  var length: UInt8 = 0
  /// The run of zero coefficients in the upper half, the bits of the value in the lower.
  var symbol: UInt8 = 0

  /// The bits of the value that follows.
  @inline(__always) var valueLength: Int { Int(symbol & 15) }
  /// The bits of both.
  @inline(__always) var totalLength: Int { Int(length) &+ valueLength }
  /// The coefficients that it stands for, unless it ends the block.
  @inline(__always) var coefficients: Int { Int(symbol >> 4) &+ 1 }
  /// Whether the rest of the block is zero; of the codes without a value only the run of 16 goes on.
  @inline(__always) var endsBlock: Bool { symbol & 15 == 0 && symbol != 0xF0 }
}

/// What some bits, looked up at once, say about the coefficients of a block.
struct JPEGSteps {
  /// Bits of all the codes and of the values behind them; 0 where not even one code fits.
  var bits: UInt8 = 0
  /// Coefficients that are stepped over.
  var coefficients: UInt8 = 0
  /// Whether the block ends there.
  var endsBlock = false
}

/// The codes of a Huffman table as a JPEG file defines them.
struct JPEGHuffmanDefinition {
  /// The number of codes of each length from 1 to 16.
  let counts: [UInt8]
  /// What they stand for, the shortest first.
  let symbols: [UInt8]
}

/// A Huffman table with all that its first bits can mean looked up beforehand.
///
/// Where values do not matter, one look-up steps over all the codes that lie in the next 12 bits,
/// with the values between them; that is 2 to 3 codes in a cover of usual quality.
///
/// Source of the codes: ITU T.81, C.2.
final class JPEGHuffmanTable {
  /// Bits that are looked up at once.
  static let lookupBits = 12
  private static let entries = 1 << lookupBits

  /// By the next 12 bits: the code.
  let codes: UnsafeMutablePointer<JPEGCode>
  /// By the next 12 bits: the codes, as far as they end a block or go on with it.
  let steps: UnsafeMutablePointer<JPEGSteps>
  /// By the length of a code: one more than the last code, and the index of its symbol.
  private var ends: [(code: Int, index: Int)] = []
  private let symbols: [UInt8]

  /// Makes the table of a definition; nil when there are more codes than their lengths allow.
  init?(_ definition: JPEGHuffmanDefinition) {
    symbols = definition.symbols
    codes = .allocate(capacity: Self.entries)
    steps = .allocate(capacity: Self.entries)
    codes.initialize(repeating: JPEGCode(), count: Self.entries)
    steps.initialize(repeating: JPEGSteps(), count: Self.entries)
    guard fillCodes(definition) else { return nil }
  }

  deinit {
    codes.deallocate()
    steps.deallocate()
  }

  /// Returns the code at the beginning of some bits, whatever its length; nil when there is none.
  func code(in bits: UInt64) -> JPEGCode? {
    let short = codes[Int(bits >> UInt64(64 - Self.lookupBits))]
    if short.length > 0 { return short }
    for length in Self.lookupBits + 1...16 {
      let code = Int(bits >> UInt64(64 - length))
      let end = ends[length - 1]
      // Longer codes are larger: what is not below the end of one length belongs to a longer one.
      if code < end.code {
        let index = end.index - (end.code - code)
        guard symbols.indices.contains(index) else { return nil }
        return JPEGCode(length: UInt8(length), symbol: symbols[index])
      }
    }
    return nil
  }

  /// Fills ``steps``; only the tables of AC coefficients need it.
  func prepareSteps() {
    for index in 0..<Self.entries {
      var steps = JPEGSteps()
      var position = 0
      while position < Self.lookupBits {
        let code = codes[index << position & (Self.entries - 1)]
        // The value of the last code may lie outside: its bits are not asked for.
        guard code.length > 0, Int(code.length) <= Self.lookupBits - position else { break }
        position += code.totalLength
        steps.bits = UInt8(position)
        if code.endsBlock {
          steps.endsBlock = true
          break
        }
        steps.coefficients += UInt8(code.coefficients)
      }
      self.steps[index] = steps
    }
  }

  private func fillCodes(_ definition: JPEGHuffmanDefinition) -> Bool {
    var code = 0
    var index = 0
    for (length, count) in zip(1...16, definition.counts) {
      let next = code + Int(count)
      guard next <= 1 << length, index + Int(count) <= symbols.count else { return false }
      if length <= Self.lookupBits {
        let shift = Self.lookupBits - length
        for step in 0..<Int(count) {
          let entry = JPEGCode(length: UInt8(length), symbol: symbols[index + step])
          (codes + (code + step) << shift).update(repeating: entry, count: 1 << shift)
        }
      }
      index += Int(count)
      ends.append((next, index))
      code = next << 1
    }
    return true
  }
}
