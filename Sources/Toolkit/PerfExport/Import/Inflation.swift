internal import CDeflate

/// Reads gzip files (RFC 1952).
enum Inflation {
  private static let magic: [UInt8] = [0x1F, 0x8B]

  /// Returns the content of a gzip file, or the bytes of any other file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - limit: The largest content.
  /// - Returns: The content.
  /// - Throws: `tooLarge` or `damagedCompression`.
  static func content(of file: [UInt8], limit: Int) throws(ImportError) -> [UInt8] {
    guard file.starts(with: magic) else { return file }
    var content: [UInt8] = []
    var rest = file[...]
    // A file may consist of several members, and end with zeros of a tape's block.
    while rest.starts(with: magic) {
      let room = limit - content.count
      // Most content shrinks to a fifth or more; otherwise the buffer grows up to the limit.
      var size = min(room, content.isEmpty ? max(1 << 16, rest.count * 8) : 1 << 16)
      var member = try firstMember(of: rest, size: size)
      while member == nil {
        guard size < room else { throw .tooLarge(limit: limit) }
        size = min(room, size * 4)
        member = try firstMember(of: rest, size: size)
      }
      guard let member else { break }
      if content.isEmpty { content = member.content } else { content += member.content }
      rest = rest.dropFirst(member.length)
    }
    guard rest.allSatisfy({ $0 == 0 }) else { throw .damagedCompression }
    return content
  }

  /// Returns the content and the compressed length of the first member.
  ///
  /// - Parameters:
  ///   - file: The compressed members.
  ///   - size: The size of the buffer for the content.
  /// - Returns: The member; nil if its content is larger than the buffer.
  /// - Throws: `damagedCompression`.
  private static func firstMember(
    of file: ArraySlice<UInt8>, size: Int
  ) throws(ImportError) -> (content: [UInt8], length: Int)? {
    guard let decompressor = unsafe libdeflate_alloc_decompressor() else {
      throw .damagedCompression
    }
    defer { unsafe libdeflate_free_decompressor(decompressor) }
    var result = LIBDEFLATE_BAD_DATA
    var length = 0
    let content = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      var made = 0
      result = unsafe file.withUnsafeBytes { input in
        unsafe libdeflate_gzip_decompress_ex(
          decompressor, input.baseAddress, input.count, buffer.baseAddress, size, &length, &made)
      }
      count = result == LIBDEFLATE_SUCCESS ? made : 0
    }
    if result == LIBDEFLATE_INSUFFICIENT_SPACE { return nil }
    guard result == LIBDEFLATE_SUCCESS else { throw .damagedCompression }
    return (content, length)
  }
}

extension Gzip {
  /// Returns the CRC-32 of RFC 1952, section 8.
  static func checksum(_ content: [UInt8]) -> UInt32 {
    unsafe content.withUnsafeBytes { unsafe libdeflate_crc32(0, $0.baseAddress, $0.count) }
  }
}
