/// A program header of an ELF file.
struct ElfHeader: Sendable {
  static let magic: UInt32 = 0x464c_457f
  static let load: UInt32 = 1
  /// The type of the header that locates the path of the loader.
  static let interpreter: UInt32 = 3
  static let note: UInt32 = 4
  /// The type of the header that locates `.eh_frame_hdr`.
  static let unwindTable: UInt32 = 0x6474_e550

  let type: UInt32
  let flags: UInt32
  let address: UInt64
  let memoryBytes: UInt64
  let offset: Int
  let fileBytes: Int

  var isExecutable: Bool { flags & 1 != 0 }
  /// The range of its bytes in the file.
  var range: Range<Int> { offset..<(offset + fileBytes) }

  /// Reads the program headers.
  ///
  /// - Returns: The headers in file order; nil in place of a header that exceeds the file.
  /// - Throws: `image` if this is no 64-bit little-endian ELF file or the table exceeds the file.
  static func table(
    of reader: ByteReader, path: String
  ) throws(PerfProfileError) -> [ElfHeader?] {
    guard reader.load(0, as: UInt32.self) == magic, reader.load(4, as: UInt8.self) == 2,
      reader.load(5, as: UInt8.self) == 1
    else {
      throw .image(path: path, reason: "it is no 64-bit little-endian ELF file")
    }
    guard let table = reader.size(32), let count = reader.load(56, as: UInt16.self),
      reader.load(54, as: UInt16.self) == 56,
      reader.slice(table, Int(count) * 56) != nil
    else {
      throw .image(path: path, reason: "its program headers are cut off")
    }
    return (0..<Int(count)).map { ElfHeader(reader, table + $0 * 56) }
  }

  private init?(_ reader: ByteReader, _ row: Int) {
    guard let type = reader.load(row, as: UInt32.self),
      let flags = reader.load(row + 4, as: UInt32.self),
      let address = reader.load(row + 16, as: UInt64.self),
      let memoryBytes = reader.load(row + 40, as: UInt64.self),
      let offset = reader.size(row + 8), let fileBytes = reader.size(row + 32),
      reader.slice(offset, fileBytes) != nil, memoryBytes >= UInt64(fileBytes),
      !address.addingReportingOverflow(memoryBytes).overflow
    else { return nil }
    (self.type, self.flags, self.address) = (type, flags, address)
    (self.memoryBytes, self.offset, self.fileBytes) = (memoryBytes, offset, fileBytes)
  }
}
