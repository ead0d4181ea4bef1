import Testing

@testable import PerfExport

struct GzipTests {
  @Test func `the checksum of the standard's example is its check value`() {
    // The CRC-32 catalogue's check value of "123456789" is CBF43926.
    #expect(Gzip.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
  }

  @Test func `a short text is one stored block`() {
    #expect(
      Gzip.store(Array("abc".utf8)) == [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF,  // header
        1, 3, 0, 0xFC, 0xFF, 0x61, 0x62, 0x63,  // the last block: length, its complement, content
        0xC2, 0x41, 0x24, 0x35,  // CRC-32 of "abc", 352441C2
        3, 0, 0, 0,
      ])
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 200_000])
  func `content of any length can be read back`(count: Int) throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(try GzipReader.content(of: Gzip.store(content)) == content)
  }
}
