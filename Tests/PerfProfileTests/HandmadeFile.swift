import Foundation

@testable import PerfProfile

/// An ELF file that consists of sections, of which a test defines each byte.
struct HandmadeFile {
  private static let headerBytes = 64

  /// Sections with the same name share its text.
  let sections: [(name: String, bytes: [UInt8])]
  /// The types of sections by name; the default is 1 (SHT_PROGBITS).
  var types: [String: UInt32] = [:]
  /// The name of the section that a section refers to, by its name.
  var links: [String: String] = [:]
  /// The size of a section's entries by its name; the default is 0.
  var entryBytes: [String: Int] = [:]

  /// Returns the file, mapped in memory.
  func image() throws -> ElfImage {
    let path = NSTemporaryDirectory() + "perfkit-handmade-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(bytes()).write(to: URL(fileURLWithPath: path))
    return try ElfImage(path: path, memory: ImageMemory(path: path))
  }

  /// Returns the header, the contents of the sections and the section headers (System V ABI, chapter 4).
  ///
  /// Section 0 is null, as the format demands, and the last section holds the names.
  func bytes() -> [UInt8] {
    var content: [UInt8] = [0]
    var names: [String: UInt32] = [:]
    for section in sections where names[section.name] == nil {
      names[section.name] = UInt32(content.count)
      content += Array(section.name.utf8)
      content.append(0)
    }
    let namesBytes = content.count
    var table = row(name: 0, type: 0, offset: 0, bytes: 0, link: 0, entryBytes: 0)
    for section in sections {
      let linked = links[section.name].flatMap { name in sections.firstIndex { $0.name == name } }
      table += row(
        name: names[section.name] ?? 0, type: types[section.name] ?? 1, offset: content.count,
        bytes: section.bytes.count, link: linked.map { $0 + 1 } ?? 0,
        entryBytes: entryBytes[section.name] ?? 0)
      content += section.bytes
    }
    // SHT_STRTAB.
    table += row(name: 0, type: 3, offset: 0, bytes: namesBytes, link: 0, entryBytes: 0)
    return header(table: content.count) + content + table
  }

  private func header(table: Int) -> [UInt8] {
    var header: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]
    header += [UInt8](repeating: 0, count: 9)
    // A shared object for x86-64.
    header += little(UInt16(3))
    header += little(UInt16(62))
    header += little(UInt32(1))
    // The entry point and the program headers, which do not exist.
    header += little(UInt64(0))
    header += little(UInt64(0))
    header += little(UInt64(Self.headerBytes + table))
    header += little(UInt32(0))
    // The size of this header, size and number of program headers and of section headers, and the index of
    // the section of names.
    for number in [Self.headerBytes, 56, 0, 64, sections.count + 2, sections.count + 1] {
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

/// Returns the bytes of a number in little-endian order.
func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian) { Array($0) }
}
