internal import CDeflate
internal import Glibc

/// The bytes of a section that its file has compressed (System V ABI, chapter 4, "Section
/// Compression").
///
/// Safety of `@unchecked Sendable`: once they are made nobody changes them.
final class InflatedSection: @unchecked Sendable {
  /// Why a section cannot be read.
  enum Failure: Error, Equatable {
    /// It is compressed in another way than zlib's.
    case otherMethod
    /// It is no such section, part of it is missing, or there is no memory for it.
    case unreadable(reason: String)
  }

  private static let headerBytes = 24
  private static let zlibType: UInt32 = 1
  /// Debug information shrinks to a third, and nothing of it to a sixtieth.
  private static let plausibleRatio = 64
  /// What may be claimed whatever the ratio.
  private static let smallBytes = 16 << 20
  private static let hugePageBytes = 2 << 20

  let bytes: UnsafeRawBufferPointer
  private let mapping: UnsafeMutableRawBufferPointer

  /// Inflates a section.
  ///
  /// - Parameter section: Its bytes in the file, which begin with a header.
  /// - Throws: `Failure`.
  init(_ section: UnsafeRawBufferPointer) throws(Failure) {
    let reader = ByteReader(bytes: section)
    guard let type = reader.load(0, as: UInt32.self), let size = reader.load(8, as: UInt64.self),
      section.count > Self.headerBytes
    else { throw .unreadable(reason: "its \(section.count) bytes have no room for a header") }
    guard UInt32(littleEndian: type) == Self.zlibType else { throw .otherMethod }
    let stream = UnsafeRawBufferPointer(rebasing: section[Self.headerBytes...])
    let claimed = UInt64(littleEndian: size)
    // Memory is taken by what the header says, so that must make sense first.
    let limit = UInt64(max(Self.smallBytes, stream.count * Self.plausibleRatio))
    guard claimed > 0, claimed <= limit else {
      throw .unreadable(reason: "\(stream.count) bytes claim to be \(claimed) compressed ones")
    }
    mapping = try Self.inflate(stream, into: Int(claimed))
    bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(mapping)[..<Int(claimed)])
  }

  deinit { munmap(mapping.baseAddress, mapping.count) }

  private static func inflate(
    _ stream: UnsafeRawBufferPointer, into count: Int
  ) throws(Failure) -> UnsafeMutableRawBufferPointer {
    let mapping = try memory(count)
    let decompressor = libdeflate_alloc_decompressor()
    defer { libdeflate_free_decompressor(decompressor) }
    // Without a place for how many bytes were made, there must be all of them.
    if let decompressor,
      libdeflate_zlib_decompress(
        decompressor, stream.baseAddress, stream.count, mapping.baseAddress, count, nil)
        == LIBDEFLATE_SUCCESS
    {
      return mapping
    }
    munmap(mapping.baseAddress, mapping.count)
    throw .unreadable(
      reason: "the stream is damaged, or has not the \(count) bytes that its header says")
  }

  /// Large pages, since to be given thousands of small ones takes longer than to fill them.
  private static func memory(_ count: Int) throws(Failure) -> UnsafeMutableRawBufferPointer {
    let isLarge = count >= hugePageBytes
    let size = isLarge ? (count + hugePageBytes - 1) / hugePageBytes * hugePageBytes : count
    guard
      let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      base != MAP_FAILED
    else { throw .unreadable(reason: "there is no memory for its \(count) bytes") }
    if isLarge { madvise(base, size, MADV_HUGEPAGE) }
    return UnsafeMutableRawBufferPointer(start: base, count: size)
  }
}
