/// A Huffman code with its length and meaning.
struct JPEGCode {
  /// The length in bits; 0 if the looked-up bits are no code or too few for one.
  var length: UInt8 = 0
  /// The run of zero coefficients (upper half) and the number of bits of the value (lower half).
  var symbol: UInt8 = 0

  /// The number of bits of the value that follows the code.
  @inline(__always) var valueLength: Int { Int(symbol & 15) }
  /// The number of bits of the code and its value.
  @inline(__always) var totalLength: Int { Int(length) &+ valueLength }
  /// The number of coefficients that the code represents, unless it ends the block.
  @inline(__always) var coefficients: Int { Int(symbol >> 4) &+ 1 }
  /// Whether the rest of the block is zero.
  ///
  /// Only the run of 16 has no value and continues.
  @inline(__always) var endsBlock: Bool { symbol & 15 == 0 && symbol != 0xF0 }
}

/// The effect of several looked-up bits on the position in a block.
struct JPEGSteps {
  /// The bits of all codes and their values; 0 if no code fits.
  var bits: UInt8 = 0
  /// The number of skipped coefficients.
  var coefficients: UInt8 = 0
  /// Whether the block ends with these codes.
  var endsBlock = false
}

/// The definition of a Huffman table in a JPEG file.
struct JPEGHuffmanDefinition {
  /// The class (upper half: 0 for means, 1 for other coefficients) and the number (lower half).
  let identifier: UInt8
  /// The number of codes of each length from 1 to 16.
  let counts: [UInt8]
  /// The symbols of the codes, the shortest code first.
  let symbols: [UInt8]

  /// Removes the first definition from the rest of a segment; nil when none is left or it is
  /// invalid.
  init?(from rest: inout ArraySlice<UInt8>) {
    guard let identifier = rest.first, identifier >> 4 <= 1, identifier & 15 < 4 else { return nil }
    let counts = Array(rest.dropFirst().prefix(16))
    let total = counts.reduce(0) { $0 + Int($1) }
    guard total <= 256, rest.count >= 17 + total else { return nil }
    self.identifier = identifier
    self.counts = counts
    symbols = Array(rest.dropFirst(17).prefix(total))
    rest = rest.dropFirst(17 + total)
  }

  /// Whether the definition is that of a prefix code, without the code of only ones.
  ///
  /// A symbol of a mean is a number of bits, at most 15. The rules are those of libjpeg.
  var isValid: Bool {
    var next = 0
    for (length, count) in zip(1...16, counts) {
      next = next << 1 + Int(count)
      guard count == 0 || next < 1 << length else { return false }
    }
    return identifier >> 4 == 1 || symbols.allSatisfy { $0 <= 15 }
  }
}

/// A Huffman table with precomputed look-ups for the next bits.
///
/// When values do not matter, one look-up skips all codes within the next 12 bits together with
/// their values. That is 2 to 3 codes in a cover of usual quality.
///
/// Source of the codes: ITU T.81, C.2.
final class JPEGHuffmanTable {
  /// The number of bits per look-up.
  static let lookupBits = 12
  private static let entries = 1 << lookupBits

  /// The code for each value of the next 12 bits.
  let codes: UnsafeMutablePointer<JPEGCode>
  /// The effect of all codes within each value of the next 12 bits.
  let steps: UnsafeMutablePointer<JPEGSteps>
  /// For each code length, one more than the last code, and the index after its symbol.
  private var ends: [(code: Int, index: Int)] = []
  private let symbols: [UInt8]

  /// Creates the table of a definition; nil when that is invalid.
  init?(_ definition: JPEGHuffmanDefinition) {
    guard definition.isValid else { return nil }
    symbols = definition.symbols
    codes = .allocate(capacity: Self.entries)
    steps = .allocate(capacity: Self.entries)
    codes.initialize(repeating: JPEGCode(), count: Self.entries)
    steps.initialize(repeating: JPEGSteps(), count: Self.entries)
    fillCodes(definition)
  }

  deinit {
    codes.deallocate()
    steps.deallocate()
  }

  /// Returns the code at the start of some bits, whatever its length; nil when there is none.
  func code(in bits: UInt64) -> JPEGCode? {
    let short = codes[Int(bits >> UInt64(64 - Self.lookupBits))]
    if short.length > 0 { return short }
    for length in Self.lookupBits + 1...16 {
      let code = Int(bits >> UInt64(64 - length))
      let end = ends[length - 1]
      // Longer codes are larger, so a code beyond the end of one length belongs to a longer one.
      if code < end.code {
        let index = end.index - (end.code - code)
        guard symbols.indices.contains(index) else { return nil }
        return JPEGCode(length: UInt8(length), symbol: symbols[index])
      }
    }
    return nil
  }

  /// Fills ``steps``, which only tables of AC coefficients need.
  func prepareSteps() {
    for index in 0..<Self.entries {
      var steps = JPEGSteps()
      var position = 0
      while position < Self.lookupBits {
        let code = codes[index << position & (Self.entries - 1)]
        // The value of the last code may extend beyond the 12 bits, because its bits are not
        // needed.
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

  private func fillCodes(_ definition: JPEGHuffmanDefinition) {
    var code = 0
    var index = 0
    for (length, count) in zip(1...16, definition.counts) {
      let next = code + Int(count)
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
  }
}
