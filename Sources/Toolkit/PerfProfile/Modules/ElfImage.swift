/// An ELF file as far as unwinding and naming need it.
///
/// Addresses are the file's own. Offsets in this file are those of the ELF-64 structures (System V ABI, chapter 4 and 5).
final class ElfImage: Sendable {
  /// A part of the file that the loader maps.
  struct Segment: Hashable, Sendable {
    let address: UInt64
    let memoryBytes: UInt64
    let offset: Int
    let fileBytes: Int
    let isExecutable: Bool
  }

  /// The binary search table in front of the unwind information.
  struct UnwindTable: Hashable, Sendable {
    /// What its entries are relative to.
    let base: UInt64
    /// The address of its first entry.
    let address: UInt64
    /// Entries of 8 bytes.
    let count: UInt64
  }

  let path: String
  let memory: ImageMemory
  let segments: [Segment]
  let buildID: [UInt8]
  /// The file's own table, or nil.
  let unwindTable: UnwindTable?

  /// Reads the headers of an image.
  ///
  /// - Throws: `image` when it is no 64-bit little-endian ELF file or its headers lie outside of it.
  init(path: String, memory: ImageMemory) throws(PerfProfileError) {
    let reader = ByteReader(bytes: memory.bytes)
    var segments: [Segment] = []
    var buildID: [UInt8] = []
    var unwindHeader: ElfHeader?
    for header in try ElfHeader.table(of: reader, path: path).compactMap(\.self) {
      switch header.type {
      case ElfHeader.load:
        segments.append(
          Segment(
            address: header.address, memoryBytes: header.memoryBytes, offset: header.offset,
            fileBytes: header.fileBytes, isExecutable: header.flags & 1 != 0))
      case ElfHeader.note where buildID.isEmpty:
        buildID = Self.buildID(reader, header.range)
      case ElfHeader.unwindTable: unwindHeader = header
      default: break
      }
    }
    self.path = path
    self.memory = memory
    self.segments = segments.sorted { $0.address < $1.address }
    self.buildID = buildID
    unwindTable = unwindHeader.flatMap { Self.unwindTable(reader, header: $0) }
  }

  /// Returns where an address lies in the file, or nil when it has no bytes there.
  func offset(of address: UInt64) -> Int? {
    for segment in segments where address >= segment.address {
      let distance = address - segment.address
      if distance < UInt64(segment.fileBytes) { return segment.offset + Int(distance) }
    }
    return nil
  }

  /// Returns the address of a byte of the file, or nil when it is mapped nowhere.
  func address(of offset: UInt64) -> UInt64? {
    for segment in segments where offset >= UInt64(segment.offset) {
      let distance = offset - UInt64(segment.offset)
      if distance < UInt64(segment.fileBytes) { return segment.address + distance }
    }
    return nil
  }

  /// Returns where the last function of its unwind table begins that begins at an address or before it;
  /// nil when there is none, or no table.
  ///
  /// - Complexity: O(log *n*).
  func describedBegin(before address: UInt64) -> UInt64? {
    guard let unwindTable, let offset = offset(of: unwindTable.address) else { return nil }
    let reader = ByteReader(bytes: memory.bytes)
    let begin = { (index: Int) in
      let distance = reader.load(offset + index * 8, as: Int32.self) ?? 0
      return unwindTable.base &+ UInt64(bitPattern: Int64(distance))
    }
    return lastIndex(of: 0..<Int(unwindTable.count)) { begin($0) <= address }.map(begin)
  }

  /// Reads the build id among some notes; empty where there is none.
  static func buildID(_ reader: ByteReader, _ range: Range<Int>) -> [UInt8] {
    var offset = range.lowerBound
    while offset + 12 <= range.upperBound,
      let nameBytes = reader.load(offset, as: UInt32.self),
      let valueBytes = reader.load(offset + 4, as: UInt32.self),
      let type = reader.load(offset + 8, as: UInt32.self)
    {
      let name = offset + 12
      let value = name + (Int(nameBytes) + 3) / 4 * 4
      if type == 3, nameBytes == 4, reader.slice(name, 4)?.elementsEqual("GNU\0".utf8) == true {
        return reader.slice(value, Int(valueBytes)).map(Array.init) ?? []
      }
      offset = value + (Int(valueBytes) + 3) / 4 * 4
    }
    return []
  }

  /// Reads `.eh_frame_hdr` (Linux Standard Base, core, 10.6.2) in the one form that linkers write.
  private static func unwindTable(_ reader: ByteReader, header: ElfHeader) -> UnwindTable? {
    let (offset, address) = (header.offset, header.address)
    guard reader.load(offset, as: UInt8.self) == 1,
      // The count as udata4, the entries as sdata4 relative to the header.
      reader.load(offset + 2, as: UInt8.self) == 0x03,
      reader.load(offset + 3, as: UInt8.self) == 0x3b,
      // The pointer to .eh_frame in between has 4 bytes in sdata4 and udata4.
      let pointerEncoding = reader.load(offset + 1, as: UInt8.self),
      [0x03, 0x0b].contains(pointerEncoding & 0x0f),
      let count = reader.load(offset + 8, as: UInt32.self), count > 0,
      reader.slice(offset + 12, Int(count) * 8) != nil
    else { return nil }
    return UnwindTable(base: address, address: address + 12, count: UInt64(count))
  }
}
