/// Wraps bytes in the gzip format without compression.
///
/// Readers of pprof files expect gzip, and stored blocks are valid gzip (RFC 1951, 3.2.4; RFC
/// 1952). Compressed files would differ between versions of a compressor, and `gzip` can shrink
/// these.
enum Gzip {
  /// The largest number of bytes in a stored block.
  private static let blockSize = 65_535

  /// Returns a gzip file with the given content; equal content gives equal files.
  static func store(_ content: [UInt8]) -> [UInt8] {
    // Magic, deflate, no flags, no time, no hints, unknown system.
    var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    file.reserveCapacity(content.count + content.count / blockSize * 5 + 32)
    var start = 0
    repeat {
      let end = min(start + blockSize, content.count)
      let length = UInt16(end - start)
      file.append(end == content.count ? 1 : 0)
      append(UInt32(length) | UInt32(~length) << 16, to: &file)
      file.append(contentsOf: content[start..<end])
      start = end
    } while start < content.count
    append(checksum(content), to: &file)
    append(UInt32(truncatingIfNeeded: content.count), to: &file)
    return file
  }

  private static func append(_ value: UInt32, to file: inout [UInt8]) {
    for shift: UInt32 in [0, 8, 16, 24] { file.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
