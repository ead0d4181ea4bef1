internal import CDeflate

/// Compresses rows of a hub in the zlib format (RFC 1950).
enum Compression {
  /// The largest content of a row.
  static let largestSize = 1 << 30

  /// The level of libdeflate: 1 is fastest, 12 is smallest.
  private static let level: Int32 = 4

  static func compressed(_ content: [UInt8]) -> [UInt8] {
    guard let compressor = libdeflate_alloc_compressor(level) else {
      fatalError("there is no memory for a compressor")
    }
    defer { libdeflate_free_compressor(compressor) }
    let bound = libdeflate_zlib_compress_bound(compressor, content.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      count = content.withUnsafeBytes {
        libdeflate_zlib_compress(compressor, $0.baseAddress, $0.count, buffer.baseAddress, bound)
      }
    }
  }

  /// Returns the content; nil if it is damaged or has another size.
  static func content(of compressed: [UInt8], size: Int) -> [UInt8]? {
    guard (0...largestSize).contains(size), let decompressor = libdeflate_alloc_decompressor()
    else { return nil }
    defer { libdeflate_free_decompressor(decompressor) }
    var isWhole = false
    let content = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      var made = 0
      let result = compressed.withUnsafeBytes {
        libdeflate_zlib_decompress(
          decompressor, $0.baseAddress, $0.count, buffer.baseAddress, size, &made)
      }
      isWhole = result == LIBDEFLATE_SUCCESS && made == size
      count = isWhole ? size : 0
    }
    return isWhole ? content : nil
  }
}
