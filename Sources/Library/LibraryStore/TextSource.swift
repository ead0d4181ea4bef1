internal import Foundation

/// Reads a text file of any size in chunks, as UTF-8.
///
/// A UTF-16 file is recognised by its byte order mark, or by the zero byte of its first character.
struct TextSource {
  private enum Encoding {
    /// UTF-8, or an older encoding of one byte per character.
    case bytes
    case utf16(isLittleEndian: Bool)
  }

  private static let chunkBytes = 1 << 16

  /// Whether the file itself declares its encoding as UTF-8 or UTF-16.
  let declaresUnicode: Bool

  private let path: String
  private let file: FileHandle
  private let encoding: Encoding
  /// The first bytes, which the detection of the encoding has read.
  private var first: ArraySlice<UInt8>
  /// The bytes of an incomplete UTF-16 unit.
  private var rest: [UInt8] = []
  private var highSurrogate: UInt32?

  /// Opens a file.
  ///
  /// - Throws: `unreadable`, also for a pipe, because an import reads parts of the file twice.
  init(path: String) throws(LibraryError) {
    self.path = path
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let type = try? FileManager.default.attributesOfItem(atPath: target)[.type]
    if let type, type as? FileAttributeType != .typeRegular {
      throw .unreadable(path: path, reason: "it is not a regular file")
    }
    do {
      file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      let bytes = [UInt8](try file.read(upToCount: Self.chunkBytes) ?? Data())
      (encoding, declaresUnicode, first) = Self.detect(bytes)
    } catch {
      throw .unreadable(path: path, reason: LibraryError.reason(of: error))
    }
  }

  private static func detect(_ bytes: [UInt8]) -> (Encoding, Bool, ArraySlice<UInt8>) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.bytes, true, bytes[3...]) }
    if bytes.starts(with: [0xFF, 0xFE]) {
      return (.utf16(isLittleEndian: true), true, bytes[2...])
    }
    if bytes.starts(with: [0xFE, 0xFF]) {
      return (.utf16(isLittleEndian: false), true, bytes[2...])
    }
    // The header begins with a letter, whose other byte is zero in UTF-16.
    guard bytes.count > 1, (bytes[0] == 0) != (bytes[1] == 0) else {
      return (.bytes, false, bytes[...])
    }
    return (.utf16(isLittleEndian: bytes[1] == 0), true, bytes[...])
  }

  /// Appends the next chunk and returns false at the end of the file.
  ///
  /// An unpaired surrogate becomes three bytes that are not UTF-8.
  mutating func read(into buffer: inout [UInt8]) throws(LibraryError) -> Bool {
    var bytes = first
    first = []
    if bytes.isEmpty {
      do {
        bytes = [UInt8](try file.read(upToCount: Self.chunkBytes) ?? Data())[...]
      } catch {
        throw .unreadable(path: path, reason: LibraryError.reason(of: error))
      }
    }
    guard case .utf16(let isLittleEndian) = encoding else {
      buffer.append(contentsOf: bytes)
      return !bytes.isEmpty
    }
    if bytes.isEmpty {
      // The file ends within a character.
      let isIncomplete = highSurrogate != nil || !rest.isEmpty
      if isIncomplete { buffer.append(0xFF) }
      highSurrogate = nil
      rest = []
      return isIncomplete
    }
    decode(bytes, isLittleEndian, into: &buffer)
    return true
  }

  private mutating func decode(
    _ bytes: ArraySlice<UInt8>, _ isLittleEndian: Bool, into buffer: inout [UInt8]
  ) {
    for byte in bytes {
      rest.append(byte)
      guard rest.count == 2 else { continue }
      let (low, high) = isLittleEndian ? (rest[0], rest[1]) : (rest[1], rest[0])
      rest.removeAll(keepingCapacity: true)
      let unit = UInt32(high) << 8 | UInt32(low)
      if let first = highSurrogate {
        highSurrogate = nil
        if (0xDC00...0xDFFF).contains(unit) {
          Self.append(0x10000 + (first - 0xD800) << 10 + (unit - 0xDC00), to: &buffer)
          continue
        }
        Self.append(first, to: &buffer)
      }
      if (0xD800...0xDBFF).contains(unit) {
        highSurrogate = unit
      } else {
        Self.append(unit, to: &buffer)
      }
    }
  }

  /// Appends a code point in the form of UTF-8, also a surrogate, which UTF-8 does not allow.
  private static func append(_ code: UInt32, to buffer: inout [UInt8]) {
    func continuation(_ shift: UInt32) -> UInt8 { UInt8(0x80 | code >> shift & 0x3F) }
    switch code {
    case 0..<0x80: buffer.append(UInt8(code))
    case 0x80..<0x800:
      buffer.append(UInt8(0xC0 | code >> 6))
      buffer.append(continuation(0))
    case 0x800..<0x10000:
      buffer.append(UInt8(0xE0 | code >> 12))
      buffer.append(continuation(6))
      buffer.append(continuation(0))
    default:
      buffer.append(UInt8(0xF0 | code >> 18))
      buffer.append(continuation(12))
      buffer.append(continuation(6))
      buffer.append(continuation(0))
    }
  }
}
