import PerfTestSupport
import Testing

@testable import PerfProfile

struct InflatedSectionTests {
  /// Returns a section as a linker has compressed it, with its header of 24 bytes: the method, 4
  /// unused ones, the size, and the alignment.
  private func section() throws -> [UInt8] {
    let program = try TestProgram.build(
      "rich-zipped", ["stacks.c", "capture.c"], flags: ["-g", "-gdwarf-aranges", "-gz=zlib"])
    let image = try ElfImage(path: program.path, memory: ImageMemory(path: program.path))
    let section = try #require(image.sections().first { $0.name == ".debug_info" }).section
    try #require(section.isCompressed)
    return Array(image.memory.bytes[section.offset..<(section.offset + section.bytes)])
  }

  private func inflate(_ bytes: [UInt8]) throws(InflatedSection.Failure) -> [UInt8] {
    let made = bytes.withUnsafeBytes { bytes in
      Result { () throws(InflatedSection.Failure) in
        let section = try InflatedSection(bytes)
        return withExtendedLifetime(section) { Array(section.bytes) }
      }
    }
    return try made.get()
  }

  private func failure(_ bytes: [UInt8]) -> InflatedSection.Failure? {
    do {
      _ = try inflate(bytes)
      return nil
    } catch {
      return error
    }
  }

  private func claim(_ size: UInt64, _ section: [UInt8]) -> [UInt8] {
    section[..<8] + withUnsafeBytes(of: size.littleEndian, Array.init) + section[16...]
  }

  @Test func `a section has as many bytes as its header says`() throws {
    let section = try section()
    let size = section.withUnsafeBytes { $0.load(fromByteOffset: 8, as: UInt64.self) }
    let bytes = try inflate(section)
    #expect(bytes.count == Int(size))
    // The first unit's length, and its version.
    #expect(Int(bytes[0]) + Int(bytes[1]) << 8 < bytes.count)
    #expect((3...5).contains(bytes[4]))
  }

  @Test func `a stream that is cut off anywhere is told`() throws {
    let section = try section()
    for count in section.indices {
      guard case .unreadable = failure(Array(section[..<count])) else {
        Issue.record("\(count) of \(section.count) bytes were taken")
        return
      }
    }
  }

  @Test func `a header that lies about the size is told before memory is taken`() throws {
    let section = try section()
    let size = section.withUnsafeBytes { $0.load(fromByteOffset: 8, as: UInt64.self) }
    for lie in [0, size - 1, size + 1, 1 << 24, 1 << 40, 1 << 62, 1 << 63, .max] as [UInt64] {
      guard case .unreadable(let reason) = failure(claim(lie, section)) else {
        Issue.record("\(lie) was taken")
        continue
      }
      #expect(reason.contains("\(lie)"))
      #expect(reason.contains("compressed") == (lie == 0 || lie > 1 << 24))
    }
  }

  @Test(arguments: 1...3) func `a stream with a wrong bit is told`(seed: UInt64) throws {
    let section = try section()
    let whole = try inflate(section)
    var random = SampleRandom(seed: seed)
    for _ in 0..<200 {
      var broken = section
      let place = Int.random(in: 24..<section.count, using: &random)
      broken[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      // A checksum finds each of them, but for those that fill the last byte of the stream up.
      let bytes = try? inflate(broken)
      #expect(bytes == nil || bytes == whole, "a wrong bit at \(place)")
    }
  }

  @Test func `another method is not ours`() throws {
    var section = try section()
    section[0] = 2  // ELFCOMPRESS_ZSTD
    #expect(failure(section) == .otherMethod)
  }
}
