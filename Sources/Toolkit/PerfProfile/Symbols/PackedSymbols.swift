internal import PerfModel

/// The symbols at addresses of one file in a compact binary form, which is decoded on demand.
///
/// Thousands of addresses belong to hundreds of functions, so each function and each text is stored
/// once. After a version and four counts follow the tables:
///
///     addresses  ascending, 8 bytes each
///     firsts     the first place of each address, then the number of places
///     places     function and line: the frames of an address, innermost first
///     functions  the texts of name, key, signature and file; the last two are optional
///     ends       the end of each text in the bytes that follow
///
/// Numbers are little-endian and have 4 bytes unless stated otherwise.
struct PackedSymbols {
  static let version: UInt32 = 7
  /// The number of a missing text.
  static let none = UInt32.max

  /// A function at a line.
  struct Place {
    let function: UInt32
    let line: UInt32
  }

  /// The text numbers of a function.
  struct Function: Hashable {
    let name: UInt32
    let key: UInt32
    let signature: UInt32
    let file: UInt32
  }

  private let bytes: [UInt8]
  let textCount: Int
  let functionCount: Int
  let addressCount: Int
  private let firsts: Int
  private let places: Int
  private let functions: Int
  private let ends: Int
  private let texts: Int
  /// The texts and functions that were decoded.
  private var madeTexts: [String?] = []
  private var madeFunctions: [SymbolFrame?] = []

  /// Checks and stores bytes; nil if they are invalid or of another version.
  ///
  /// - Complexity: O(*n*), about a nanosecond per number in the tables.
  init?(_ bytes: [UInt8]) {
    let header = 20
    guard bytes.count >= header else { return nil }
    let numbers = stride(from: 0, to: header, by: 4).map { Int(Self.number(bytes, $0)) }
    guard numbers[0] == Self.version else { return nil }
    textCount = numbers[1]
    functionCount = numbers[2]
    addressCount = numbers[4]
    // These sums cannot overflow, because each count has 32 bits.
    firsts = header + addressCount * 8
    places = firsts + (addressCount + 1) * 4
    functions = places + numbers[3] * 8
    ends = functions + functionCount * 16
    texts = ends + textCount * 4
    guard texts <= bytes.count else { return nil }
    self.bytes = bytes
    guard isSound(placeCount: numbers[3]) else { return nil }
    madeTexts = [String?](repeating: nil, count: textCount)
    madeFunctions = [SymbolFrame?](repeating: nil, count: functionCount)
  }

  /// Returns whether every number in the tables is in range.
  private func isSound(placeCount: Int) -> Bool {
    bytes.withUnsafeBytes { bytes in
      let number = { (offset: Int) in
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      }
      var last: UInt32 = 0
      for offset in stride(from: firsts, to: places, by: 4) {
        let first = number(offset)
        if first < last { return false }
        last = first
      }
      guard Int(last) == placeCount else { return false }
      for offset in stride(from: places, to: functions, by: 8)
      where number(offset) >= functionCount { return false }
      for offset in stride(from: functions, to: ends, by: 4) {
        let text = number(offset)
        // Name and key are required.
        let isOptional = (offset - functions) % 16 >= 8
        if text >= textCount && !(isOptional && text == Self.none) { return false }
      }
      last = 0
      for offset in stride(from: ends, to: texts, by: 4) {
        let end = number(offset)
        if end < last { return false }
        last = end
      }
      return Int(last) == bytes.count - texts
    }
  }

  /// Returns the frames of addresses, innermost first; nil for an unknown address.
  ///
  /// - Complexity: O(log *n*) for each address.
  mutating func frames(at addresses: [UInt64]) -> [[SymbolFrame]?] {
    addresses.map { address in
      let index = lastIndex(of: 0..<addressCount) { self.address($0) <= address }
      guard let index, self.address(index) == address else { return nil }
      return places(ofAddress: index).map { place in
        var frame = function(place.function)
        frame.line = Int(place.line)
        return frame
      }
    }
  }

  // MARK: - Tables

  func address(_ index: Int) -> UInt64 {
    UInt64(littleEndian: load(20 + index * 8))
  }

  func places(ofAddress index: Int) -> [Place] {
    (number(firsts + index * 4)..<number(firsts + index * 4 + 4)).map { place in
      let offset = places + Int(place) * 8
      return Place(function: number(offset), line: number(offset + 4))
    }
  }

  func texts(ofFunction index: Int) -> Function {
    let offset = functions + index * 16
    return Function(
      name: number(offset), key: number(offset + 4), signature: number(offset + 8),
      file: number(offset + 12))
  }

  /// Returns a function as a frame without a line.
  private mutating func function(_ number: UInt32) -> SymbolFrame {
    if let function = madeFunctions[Int(number)] { return function }
    let place = texts(ofFunction: Int(number))
    let function = SymbolFrame(
      name: text(place.name) ?? "", key: text(place.key) ?? "", signature: text(place.signature),
      file: text(place.file), line: 0)
    madeFunctions[Int(number)] = function
    return function
  }

  mutating func text(_ index: UInt32) -> String? {
    if index == Self.none { return nil }
    if let text = madeTexts[Int(index)] { return text }
    let start = index == 0 ? 0 : Int(number(ends + Int(index) * 4 - 4))
    let end = Int(number(ends + Int(index) * 4))
    let text = String(decoding: bytes[(texts + start)..<(texts + end)], as: UTF8.self)
    madeTexts[Int(index)] = text
    return text
  }

  private func number(_ offset: Int) -> UInt32 { Self.number(bytes, offset) }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    UInt32(
      littleEndian: bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      })
  }

  private func load(_ offset: Int) -> UInt64 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
  }
}
