/// The frames of an address as bytes, and the functions that they are of.
///
/// Thousands of addresses lie in hundreds of functions, so a function's texts are kept once, by a
/// number that is made of them. The frames are a version and of each frame that number and a line; a
/// function is a version and four texts, each behind its length. Numbers are little-endian, of 8 bytes
/// where they name a function, else of 4.
enum PackedSymbols {
  /// A frame of a function that is kept elsewhere.
  struct Place: Hashable {
    let function: UInt64
    let line: Int
  }

  private static let version: UInt8 = 3
  /// Stands for the length of a text that there is none of.
  private static let none = UInt32.max
  /// Numbers of functions have this bit and addresses have not: that half of them is the kernel's.
  private static let functionBit: UInt64 = 1 << 63

  /// Packs the frames of addresses.
  ///
  /// - Returns: Bytes by address, and by number of each function that appears in them.
  static func pack(_ symbols: [UInt64: [SymbolFrame]]) -> [UInt64: [UInt8]] {
    var packed: [UInt64: [UInt8]] = [:]
    for (address, frames) in symbols {
      var bytes = [version]
      for frame in frames {
        let function = pack(frame)
        let number = number(of: function)
        packed[number] = function
        append(number, to: &bytes)
        append(UInt32(clamping: frame.line), to: &bytes)
      }
      packed[address] = bytes
    }
    return packed
  }

  private static func pack(_ frame: SymbolFrame) -> [UInt8] {
    var bytes = [version]
    for text in [frame.name, frame.key, frame.signature, frame.file] {
      append(text.map { UInt32($0.utf8.count) } ?? none, to: &bytes)
      if let text { bytes += text.utf8 }
    }
    return bytes
  }

  /// Returns nil for bytes that were not packed by this version, or are cut off.
  static func places(_ bytes: UnsafeRawBufferPointer) -> [Place]? {
    let reader = ByteReader(bytes: bytes)
    guard reader.load(0, as: UInt8.self) == version, bytes.count % 12 == 1 else { return nil }
    return stride(from: 1, to: bytes.count, by: 12).compactMap { offset in
      guard let function = reader.load(offset, as: UInt64.self),
        let line = reader.load(offset + 8, as: UInt32.self)
      else { return nil }
      return Place(
        function: UInt64(littleEndian: function), line: Int(UInt32(littleEndian: line)))
    }
  }

  /// Returns a function as a frame without a line; nil as `places` does.
  static func function(_ bytes: UnsafeRawBufferPointer) -> SymbolFrame? {
    let reader = ByteReader(bytes: bytes)
    guard reader.load(0, as: UInt8.self) == version else { return nil }
    var offset = 1
    guard let name = text(reader, &offset), let key = text(reader, &offset),
      let signature = text(reader, &offset), let file = text(reader, &offset), let name, let key,
      offset == bytes.count
    else { return nil }
    return SymbolFrame(name: name, key: key, signature: signature, file: file, line: 0)
  }

  /// FNV-1a, offset and prime of 64 bits (Fowler, Noll, Vo 1991): the same in every process.
  private static func number(of function: [UInt8]) -> UInt64 {
    function.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } | functionBit
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  /// Returns nil when the bytes are cut off, and nil within when there is no text.
  private static func text(_ reader: ByteReader, _ offset: inout Int) -> String?? {
    guard let length = reader.load(offset, as: UInt32.self) else { return nil }
    offset += 4
    let count = UInt32(littleEndian: length)
    if count == none { return .some(nil) }
    guard let slice = reader.slice(offset, Int(count)) else { return nil }
    offset += Int(count)
    return .some(String(decoding: slice, as: UTF8.self))
  }
}
