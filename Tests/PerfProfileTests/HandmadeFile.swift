import Foundation

@testable import PerfProfile

/// An ELF file of nothing but sections, of which a test says each byte.
struct HandmadeFile {
  private static let headerBytes = 64

  /// Sections of the same name share it.
  let sections: [(name: String, bytes: [UInt8])]
  /// What sections are, by their names; 1 is what a program makes of it.
  var types: [String: UInt32] = [:]
  /// Which section another one refers to, by their names.
  var links: [String: String] = [:]
  /// The size of their entries, by their names; 0 of those that have none.
  var entryBytes: [String: Int] = [:]

  /// Returns the file, which is nowhere but in memory.
  func image() throws -> ElfImage {
    let path = NSTemporaryDirectory() + "perfkit-handmade-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(bytes()).write(to: URL(fileURLWithPath: path))
    return try ElfImage(path: path, memory: ImageMemory(path: path))
  }

  /// The header, what the sections hold, and the table of sections (System V ABI, chapter 4).
  ///
  /// The first section has the names, and none itself.
  func bytes() -> [UInt8] {
    var content: [UInt8] = [0]
    var names: [String: UInt32] = [:]
    for section in sections where names[section.name] == nil {
      names[section.name] = UInt32(content.count)
      content += Array(section.name.utf8)
      content.append(0)
    }
    var table = row(name: 0, type: 1, offset: 0, bytes: content.count, link: 0, entryBytes: 0)
    for section in sections {
      let linked = links[section.name].flatMap { name in sections.firstIndex { $0.name == name } }
      table += row(
        name: names[section.name] ?? 0, type: types[section.name] ?? 1, offset: content.count,
        bytes: section.bytes.count, link: linked.map { $0 + 1 } ?? 0,
        entryBytes: entryBytes[section.name] ?? 0)
      content += section.bytes
    }
    return header(table: content.count) + content + table
  }

  private func header(table: Int) -> [UInt8] {
    var header: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]
    header += [UInt8](repeating: 0, count: 9)
    // A shared object for x86-64.
    header += little(UInt16(3))
    header += little(UInt16(62))
    header += little(UInt32(1))
    // Where it begins, and its program headers, of which there are none.
    header += little(UInt64(0))
    header += little(UInt64(0))
    header += little(UInt64(Self.headerBytes + table))
    header += little(UInt32(0))
    // Sizes of this header and of rows, and how many rows there are of each kind.
    for number in [Self.headerBytes, 56, 0, 64, sections.count + 1, 0] {
      header += little(UInt16(number))
    }
    return header
  }

  private func row(
    name: UInt32, type: UInt32, offset: Int, bytes: Int, link: Int, entryBytes: Int
  ) -> [UInt8] {
    var row = little(name)
    row += little(type)
    // Flags and address.
    row += little(UInt64(0))
    row += little(UInt64(0))
    row += little(UInt64(Self.headerBytes + offset))
    row += little(UInt64(bytes))
    row += little(UInt32(link))
    // Another link, and alignment.
    row += [UInt8](repeating: 0, count: 12)
    row += little(UInt64(entryBytes))
    return row
  }
}

/// Returns the bytes of a number as all of our files have them.
func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian) { Array($0) }
}
