internal import Foundation

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
    let bytes: Data
  }

  private let segments: [Segment]

  /// Reads the image of a file; nil for what is none, as a script, and for one that is cut off.
  ///
  /// - Parameter path: An ELF file of 64 bits, elf(5).
  public init?(path: String) {
    guard let file = try? Data(contentsOf: URL(fileURLWithPath: path)), file.count >= 64,
      file.prefix(6).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2, 1])
    else { return nil }
    var bytes = file
    // Where the table of sections lies depends on the debug information in front of it.
    for range in [0x28..<0x30, 0x3C..<0x40] { bytes.resetBytes(in: range) }
    guard let headers = Self.headers(of: file) else { return nil }
    for note in headers where note.type == Self.note { bytes.resetBytes(in: note.range) }
    segments = headers.filter { $0.type == Self.load }.map { header in
      Segment(
        address: header.address, size: header.size, flags: header.flags,
        bytes: bytes[header.range])
    }
    guard !segments.isEmpty else { return nil }
  }

  private static let load: UInt32 = 1
  private static let note: UInt32 = 4

  /// A row of the table of program headers.
  private struct Header {
    let type: UInt32
    let flags: UInt32
    let range: Range<Int>
    let address: UInt64
    let size: UInt64
  }

  private static func headers(of file: Data) -> [Header]? {
    func number<Value: FixedWidthInteger>(_ offset: Int, as type: Value.Type) -> Value {
      (0..<Value.bitWidth / 8).reduce(Value(0)) { $0 | Value(file[offset + $1]) << Value($1 * 8) }
    }
    let (size, count) = (Int(number(0x36, as: UInt16.self)), Int(number(0x38, as: UInt16.self)))
    guard let table = Int(exactly: number(0x20, as: UInt64.self)), size >= 56,
      table <= file.count, size * count <= file.count - table
    else { return nil }
    var headers: [Header] = []
    for index in 0..<count {
      let row = table + index * size
      guard let start = Int(exactly: number(row + 8, as: UInt64.self)),
        let length = Int(exactly: number(row + 32, as: UInt64.self)), start <= file.count,
        length <= file.count - start
      else { return nil }
      headers.append(
        Header(
          type: number(row, as: UInt32.self), flags: number(row + 4, as: UInt32.self),
          range: start..<(start + length), address: number(row + 16, as: UInt64.self),
          size: number(row + 40, as: UInt64.self)))
    }
    return headers
  }
}
