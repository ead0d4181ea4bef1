internal import CDeflate
internal import Foundation
internal import PerfModel

/// What of a program's file is loaded when it runs: two builds of equal images run the same code on
/// the same constants, wherever they were built.
///
/// Debug information, which has the paths of the build, and the build id, which is computed from
/// it, are left out.
public struct ProgramImage: Equatable, Sendable {
  /// A part of the file that is loaded.
  private struct Segment: Equatable {
    let address: UInt64
    let size: UInt64
    let flags: UInt32
    let bytes: [UInt8]
  }

  /// The section into which the Swift compiler puts hashes of its modules, debug information included.
  private static let hashSection = ".swift_modhash"

  private let segments: [Segment]

  /// Reads the image of a file.
  ///
  /// - Parameter path: An ELF file of 64 bits, elf(5).
  /// - Throws: `image` for what is none, as a script, and for one that is cut off.
  public init(path: String) throws(PerfProfileError) {
    let image = try ElfImage(path: path, memory: ImageMemory(path: path))
    let headers = try ElfHeader.table(of: ByteReader(bytes: image.memory.bytes), path: path)
    let whole = headers.compactMap(\.self)
    guard whole.count == headers.count, !image.segments.isEmpty else {
      throw .image(path: path, reason: "its segments are cut off")
    }
    var bytes = Array(image.memory.bytes)
    // Where the table of sections lies depends on the debug information in front of it.
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

  /// Returns a text by which the program of a file is known again: of its image, or of all bytes of
  /// what has none, as a script.
  ///
  /// - Parameter path: The file.
  /// - Returns: 16 hexadecimal digits that protect from accidents; nil for what cannot be read.
  public static func fingerprint(ofFile path: String) -> String? {
    guard let image = try? ProgramImage(path: path) else {
      return FileManager.default.contents(atPath: path).map { StableHash.text(of: $0) }
    }
    // A checksum of each segment first: hashing megabytes byte by byte takes seconds in a debug build.
    let parts = image.segments.map { segment in
      let checksum = segment.bytes.withUnsafeBufferPointer { bytes in
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
      }
      return "\(segment.address) \(segment.size) \(segment.flags) \(checksum)"
    }
    return StableHash.text(of: parts.joined(separator: "\n"))
  }
}
