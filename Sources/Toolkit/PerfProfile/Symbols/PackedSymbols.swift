/// The frames of an address as bytes: a version, then of each frame its line and its four texts,
/// each behind its length; lengths and lines are of 4 bytes, little-endian.
enum PackedSymbols {
  private static let version: UInt8 = 2
  /// Stands for the length of a text that there is none of.
  private static let none = UInt32.max

  static func pack(_ frames: [SymbolFrame]) -> [UInt8] {
    var bytes = [version]
    for frame in frames {
      append(UInt32(clamping: frame.line), to: &bytes)
      for text in [frame.name, frame.key, frame.signature, frame.file] {
        append(text.map { UInt32($0.utf8.count) } ?? none, to: &bytes)
        if let text { bytes += text.utf8 }
      }
    }
    return bytes
  }

  /// Returns nil for bytes that were not packed by this version, or are cut off.
  static func unpack(_ bytes: UnsafeRawBufferPointer) -> [SymbolFrame]? {
    let reader = ByteReader(bytes: bytes)
    guard reader.load(0, as: UInt8.self) == version else { return nil }
    var offset = 1
    var frames: [SymbolFrame] = []
    while offset < bytes.count {
      guard let line = number(reader, &offset), let name = text(reader, &offset),
        let key = text(reader, &offset), let signature = text(reader, &offset),
        let file = text(reader, &offset), let name, let key
      else { return nil }
      frames.append(
        SymbolFrame(name: name, key: key, signature: signature, file: file, line: Int(line)))
    }
    return frames
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private static func number(_ reader: ByteReader, _ offset: inout Int) -> UInt32? {
    guard let number = reader.load(offset, as: UInt32.self) else { return nil }
    offset += 4
    return UInt32(littleEndian: number)
  }

  /// Returns nil when the bytes are cut off, and nil within when there is no text.
  private static func text(_ reader: ByteReader, _ offset: inout Int) -> String?? {
    guard let count = number(reader, &offset) else { return nil }
    if count == none { return .some(nil) }
    guard let slice = reader.slice(offset, Int(count)) else { return nil }
    offset += Int(count)
    return .some(String(decoding: slice, as: UTF8.self))
  }
}
