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
    guard let decompressor = unsafe libdeflate_alloc_decompressor() else {
      throw .damagedCompression
    }
    defer { unsafe libdeflate_free_decompressor(decompressor) }
    var content: [UInt8] = []
    var rest = file[...]
    // A file may consist of several members, and end with zeros of a tape's block.
    while rest.starts(with: magic) {
      let room = limit - content.count
      // Most content shrinks to a fifth or more; otherwise the buffer grows up to the limit.
      var size = min(room, content.isEmpty ? max(1 << 16, rest.count * 8) : 1 << 16)
      while true {
        var (taken, made) = (0, 0)
        let output = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
          let result = unsafe rest.withUnsafeBytes { input in
            unsafe libdeflate_gzip_decompress_ex(
              decompressor, input.baseAddress, input.count, buffer.baseAddress, size, &taken, &made)
          }
          if result == LIBDEFLATE_INSUFFICIENT_SPACE { made = -1 }
          if result != LIBDEFLATE_SUCCESS, made >= 0 { taken = 0 }
          count = result == LIBDEFLATE_SUCCESS ? made : 0
        }
        if made >= 0 {
          guard taken > 0 else { throw .damagedCompression }
          if content.isEmpty { content = output } else { content += output }
          rest = rest.dropFirst(taken)
          break
        }
        guard size < room else { throw .tooLarge(limit: limit) }
        size = min(room, size * 4)
      }
    }
    guard rest.allSatisfy({ $0 == 0 }) else { throw .damagedCompression }
    return content
  }
}
