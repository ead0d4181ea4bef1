internal import CDeflate
internal import Foundation
internal import PerfModel

/// The loaded part of a program's file, which is equal for two builds of the same code and
/// constants.
///
/// It omits debug information, which contains paths of the build, and the build id, which is a hash
/// of it.
public struct ProgramImage: Equatable, Sendable {
  /// A loaded segment of the file.
  private struct Segment: Equatable {
    let address: UInt64
    let size: UInt64
    let flags: UInt32
    let bytes: [UInt8]
  }

  /// The Swift compiler's section with hashes of modules, which cover debug information.
  private static let hashSection = ".swift_modhash"

  private let segments: [Segment]

  /// Reads the image of a file.
  ///
  /// - Parameter path: A 64-bit ELF file, elf(5).
  /// - Throws: `image` if the file is not ELF, e.g. a script, or is truncated.
  public init(path: String) throws(PerfProfileError) {
    let image = try ElfImage(path: path, memory: ImageMemory(path: path))
    let headers = try ElfHeader.table(of: ByteReader(bytes: image.memory.bytes), path: path)
    let whole = headers.compactMap(\.self)
    guard whole.count == headers.count, !image.segments.isEmpty else {
      throw .image(path: path, reason: "its segments are cut off")
    }
    var bytes = Array(image.memory.bytes)
    // The offset of the section table depends on the size of the debug information before it.
    let tables = [0x28..<0x30, 0x3C..<0x40]
    let notes = whole.filter { $0.type == ElfHeader.note }.map(\.range)
    let hashes = image.sections().filter { $0.name == Self.hashSection }.map(\.section.range)
    for range in tables + notes + hashes {
      bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    }
    segments = whole.filter { $0.type == ElfHeader.load }.map { header in
      Segment(
        address: header.address, size: header.memoryBytes, flags: header.flags,
        bytes: Array(bytes[header.range]))
    }
  }

  /// Returns a hash that identifies a program's image, or all bytes of a file without one, such as
  /// a script.
  ///
  /// - Parameter path: The file.
  /// - Returns: 16 hexadecimal digits, no protection against forgery; nil if the file cannot be
  ///   read.
  public static func fingerprint(ofFile path: String) -> String? {
    guard let image = try? ProgramImage(path: path) else {
      return FileManager.default.contents(atPath: path).map { StableHash.text(of: $0) }
    }
    // Hash a checksum per segment: hashing megabytes byte by byte takes seconds in a debug build.
    let parts = image.segments.map { segment in
      let checksum = segment.bytes.withUnsafeBufferPointer { bytes in
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
      }
      return "\(segment.address) \(segment.size) \(segment.flags) \(checksum)"
    }
    return StableHash.text(of: parts.joined(separator: "\n"))
  }
}
