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
    let notes = headers.filter { $0.type == Self.note }.map(\.range)
    for range in notes + Self.hashes(of: file) { bytes.resetBytes(in: range) }
    segments = headers.filter { $0.type == Self.load }.map { header in
      Segment(
        address: header.address, size: header.size, flags: header.flags,
        bytes: bytes[header.range])
    }
    guard !segments.isEmpty else { return nil }
  }

  private static let load: UInt32 = 1
  private static let note: UInt32 = 4
  /// The section into which the Swift compiler puts hashes of its modules, debug information included.
  private static let hashSection = Array(".swift_modhash".utf8) + [0]

  /// A row of the table of program headers.
  private struct Header {
    let type: UInt32
    let flags: UInt32
    let range: Range<Int>
    let address: UInt64
    let size: UInt64
  }

  private static func headers(of file: Data) -> [Header]? {
    let (size, count) = (Int(file.number(0x36, UInt16.self)), Int(file.number(0x38, UInt16.self)))
    guard let table = file.place(0x20, of: size * count), size >= 56 else { return nil }
    var headers: [Header] = []
    for row in stride(from: table.lowerBound, to: table.upperBound, by: size) {
      guard let length = Int(exactly: file.number(row + 32, UInt64.self)),
        let range = file.place(row + 8, of: length)
      else { return nil }
      headers.append(
        Header(
          type: file.number(row, UInt32.self), flags: file.number(row + 4, UInt32.self),
          range: range, address: file.number(row + 16, UInt64.self),
          size: file.number(row + 40, UInt64.self)))
    }
    return headers
  }

  /// Where the hashes of modules lie; nowhere in a file without sections.
  private static func hashes(of file: Data) -> [Range<Int>] {
    let (size, count) = (Int(file.number(0x3A, UInt16.self)), Int(file.number(0x3C, UInt16.self)))
    let names = Int(file.number(0x3E, UInt16.self))
    guard size >= 64, names < count, let table = file.place(0x28, of: size * count),
      let texts = file.place(table.lowerBound + names * size + 24, of: 0)?.lowerBound
    else { return [] }
    return stride(from: table.lowerBound, to: table.upperBound, by: size).compactMap { row in
      let name = texts + Int(file.number(row, UInt32.self))
      guard name <= file.count, file[name...].starts(with: hashSection),
        let length = Int(exactly: file.number(row + 32, UInt64.self))
      else { return nil }
      return file.place(row + 24, of: length)
    }
  }
}

extension Data {
  /// Returns the number at an offset, least significant byte first; it must lie within.
  fileprivate func number<Value: FixedWidthInteger>(_ offset: Int, _ type: Value.Type) -> Value {
    (0..<Value.bitWidth / 8).reduce(Value(0)) {
      $0 | Value(truncatingIfNeeded: self[offset + $1]) << Value($1 * 8)
    }
  }

  /// Returns the range that begins where the number at an offset says; nil where it leads beyond the end.
  fileprivate func place(_ offset: Int, of length: Int) -> Range<Int>? {
    guard let start = Int(exactly: number(offset, UInt64.self)), start <= count, length >= 0,
      length <= count - start
    else { return nil }
    return start..<(start + length)
  }
}
