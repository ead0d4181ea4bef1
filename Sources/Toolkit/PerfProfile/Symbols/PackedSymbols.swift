internal import Glibc

/// The frames of an address as bytes: a version, then of each frame its line and its four texts,
/// each behind its length; lengths and lines are of 4 bytes, little-endian.
///
/// Thousands of addresses lie in hundreds of functions, and making a text takes longer than to see
/// that it is known: so what is unpacked is remembered, as long as the value lives.
struct PackedSymbols {
  private static let version: UInt8 = 2
  /// Stands for the length of a text that there is none of.
  private static let none = UInt32.max
  private static let textsOfFrame = 4

  /// Functions by a hash of their texts' bytes; of two with one hash the later.
  private var known: [UInt64: (bytes: [UInt8], frame: SymbolFrame)] = [:]

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
  mutating func unpack(_ bytes: UnsafeRawBufferPointer) -> [SymbolFrame]? {
    let reader = ByteReader(bytes: bytes)
    guard reader.load(0, as: UInt8.self) == Self.version else { return nil }
    var offset = 1
    var frames: [SymbolFrame] = []
    while offset < bytes.count {
      guard let line = Self.number(reader, &offset), let texts = Self.texts(reader, &offset),
        let frame = function(texts)
      else { return nil }
      frames.append(
        SymbolFrame(
          name: frame.name, key: frame.key, signature: frame.signature, file: frame.file,
          line: Int(line)))
    }
    return frames
  }

  /// Returns a function by its texts, without a line.
  private mutating func function(_ texts: UnsafeRawBufferPointer) -> SymbolFrame? {
    let hash = Self.hash(texts)
    if let (bytes, frame) = known[hash], bytes.count == texts.count,
      let start = texts.baseAddress, memcmp(bytes, start, texts.count) == 0
    {
      return frame
    }
    let reader = ByteReader(bytes: texts)
    var offset = 0
    guard let name = Self.text(reader, &offset), let key = Self.text(reader, &offset),
      let signature = Self.text(reader, &offset), let file = Self.text(reader, &offset), let name,
      let key
    else { return nil }
    let frame = SymbolFrame(name: name, key: key, signature: signature, file: file, line: 0)
    known[hash] = (Array(texts), frame)
    return frame
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(bytes.count)
    func mix(_ word: UInt64) {
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 32
    }
    for offset in stride(from: 0, through: bytes.count - 8, by: 8) {
      mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    for byte in bytes.suffix(bytes.count % 8) { mix(UInt64(byte)) }
    return hash
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private static func number(_ reader: ByteReader, _ offset: inout Int) -> UInt32? {
    guard let number = reader.load(offset, as: UInt32.self) else { return nil }
    offset += 4
    return UInt32(littleEndian: number)
  }

  /// Returns the bytes of a frame's texts and their lengths, or nil when they are cut off.
  private static func texts(
    _ reader: ByteReader, _ offset: inout Int
  ) -> UnsafeRawBufferPointer? {
    let start = offset
    for _ in 0..<textsOfFrame {
      guard let count = number(reader, &offset) else { return nil }
      if count != none { offset += Int(count) }
    }
    return reader.slice(start, offset - start)
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
