internal import PerfModel

/// An ELF file: the parts that unwinding and symbolication need.
///
/// Addresses are those in the file. Numeric offsets in the code belong to the ELF-64 structures (System V ABI, chapters 4 and 5).
final class ElfImage: Sendable {
  /// The binary search table of the unwind information.
  struct UnwindTable: Hashable, Sendable {
    /// The address that entries are relative to.
    let base: UInt64
    /// The address of the first entry.
    let address: UInt64
    /// The number of entries of 8 bytes.
    let count: UInt64
  }

  let path: String
  let memory: ImageMemory
  /// The headers of the segments that the loader maps, by address.
  let segments: [ElfHeader]
  let buildID: [UInt8]
  /// The search table; nil if the file has none.
  let unwindTable: UnwindTable?

  /// Reads the headers of an image.
  ///
  /// - Throws: `image` if it is no 64-bit little-endian ELF file or its headers exceed the file.
  init(path: String, memory: ImageMemory) throws(PerfProfileError) {
    let reader = ByteReader(bytes: memory.bytes)
    var segments: [ElfHeader] = []
    var buildID: [UInt8] = []
    var unwindHeader: ElfHeader?
    for header in try ElfHeader.table(of: reader, path: path).compactMap(\.self) {
      switch header.type {
      case ElfHeader.load: segments.append(header)
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

  /// Returns the offset of an address in the file; nil if the file has no bytes for it.
  func offset(of address: UInt64) -> Int? {
    for segment in segments where address >= segment.address {
      let distance = address - segment.address
      if distance < UInt64(segment.fileBytes) { return segment.offset + Int(distance) }
    }
    return nil
  }

  /// Returns the address of an offset in the file; nil if it is not mapped.
  func address(of offset: UInt64) -> UInt64? {
    for segment in segments where offset >= UInt64(segment.offset) {
      let distance = offset - UInt64(segment.offset)
      if distance < UInt64(segment.fileBytes) { return segment.address + distance }
    }
    return nil
  }

  /// Returns the start of the last function in the unwind table that starts at or before an address; nil
  /// if there is none or no table.
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

  /// Reads the build id in a range of notes; empty if there is none.
  private static func buildID(_ reader: ByteReader, _ range: Range<Int>) -> [UInt8] {
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

  /// Reads `.eh_frame_hdr` (Linux Standard Base, core, 10.6.2) in the only form that linkers write.
  private static func unwindTable(_ reader: ByteReader, header: ElfHeader) -> UnwindTable? {
    let (offset, address) = (header.offset, header.address)
    guard reader.load(offset, as: UInt8.self) == 1,
      // The count as udata4, the entries as sdata4 relative to the header.
      reader.load(offset + 2, as: UInt8.self) == 0x03,
      reader.load(offset + 3, as: UInt8.self) == 0x3b,
      // The pointer to .eh_frame between them has 4 bytes in sdata4 and udata4.
      let pointerEncoding = reader.load(offset + 1, as: UInt8.self),
      [0x03, 0x0b].contains(pointerEncoding & 0x0f),
      let count = reader.load(offset + 8, as: UInt32.self), count > 0,
      reader.slice(offset + 12, Int(count) * 8) != nil
    else { return nil }
    return UnwindTable(base: address, address: address + 12, count: UInt64(count))
  }
}
