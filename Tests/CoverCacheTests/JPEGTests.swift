import Testing

@testable import CoverCache

@Suite struct `a JPEG` {
  let decoder = JPEGDecoder()

  @Test(arguments: [false, true])
  func `decoding returns the encoded picture`(progressive: Bool) throws {
    let picture = try gradient(80, 120)
    let bytes = try JPEGEncoder(quality: 95, isProgressive: progressive).encode(picture)
    let header = try decoder.header(of: bytes, cover: "gradient")
    #expect(header.size == picture.size)
    #expect(header.isProgressive == progressive)
    #expect(header.orientation == .up && header.profile == .standard)
    // Quality 95 keeps a smooth gradient within a few levels of 255.
    #expect(largestDifference(try decoder.decode(bytes, cover: "gradient"), picture) <= 8)
  }

  // 24 x 24 pixels in two bytes for each of 3 values (4:4:4), 1.5 (4:2:0) or 4 (CMYK); a single scan
  // needs 64 bytes per column.
  @Test(arguments: [
    (JPEGFixture.full, 24 * 64), (.halfWidth, 24 * 64), (.grey, 24 * 64), (.cmyk, 24 * 64),
    (.progressive, 24 * 24 * 3), (.meansApart, 24 * 24 * 3), (.scansApart, 24 * 24 * 3),
  ])
  func `a file of several scans needs memory for all its coefficients`(
    fixture: JPEGFixture, bytes: Int
  ) throws {
    #expect(try decoder.header(of: fixture.bytes, cover: "f").workingBytes == bytes)
  }

  @Test(arguments: [(400, 600, 100, 150), (333, 500, 100, 150), (50, 60, 50, 60), (90, 30, 90, 30)])
  func `decoding scales a picture to the exact size`(
    width: Int, height: Int, toWidth: Int, toHeight: Int
  ) throws {
    let bytes = try JPEGEncoder(quality: 95).encode(try gradient(width, height))
    let box = PixelSize(width: 100, height: 150)
    let scaled = try decoder.decode(bytes, fitting: box, cover: "gradient")
    #expect(scaled.size == PixelSize(width: toWidth, height: toHeight))
    #expect(largestDifference(scaled, try gradient(toWidth, toHeight)) <= 8)
  }

  @Test(arguments: [false, true])
  func `a file truncated at any place is reported as damaged`(progressive: Bool) throws {
    let bytes = try JPEGEncoder(isProgressive: progressive).encode(try gradient(64, 64))
    for count in 2..<bytes.count {
      do {
        _ = try decoder.decode(Array(bytes[..<count]), cover: "half")
        Issue.record("\(count) of \(bytes.count) bytes were accepted")
      } catch CoverError.damaged(let cover, _) {
        #expect(cover == "half")
      }
    }
  }

  @Test func `the error of a truncated file names the premature end`() throws {
    let bytes = try JPEGEncoder().encode(try gradient(64, 64))
    let reason = "Premature end of JPEG file"
    #expect(throws: CoverError.damaged(cover: "half", reason: reason)) {
      try decoder.decode(bytes.dropLast(2), cover: "half")
    }
  }

  @Test(arguments: [[], [0xFF], Array("<html>404</html>".utf8), [0x89, 0x50, 0x4E, 0x47]])
  func `a file without the JPEG marker is reported as no JPEG`(bytes: [UInt8]) {
    let reason = "it does not begin with the bytes FF D8"
    #expect(throws: CoverError.notJPEG(cover: "fake", reason: reason)) {
      try decoder.decode(bytes, cover: "fake")
    }
  }

  @Test func `a file with huge dimensions is rejected before memory is allocated`() throws {
    var bytes = try JPEGEncoder().encode(try gradient(16, 16))
    let frame = try #require(
      bytes.indices.dropLast(9).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    // Height and width follow the marker, the length and the precision: 65,500 is FFDC.
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
    let size = PixelSize(width: 65_500, height: 65_500)
    #expect(throws: CoverError.tooLarge(cover: "huge", size: size, limit: 100_000_000)) {
      try decoder.decode(bytes, cover: "huge")
    }
  }

  @Test func `a picture over the configured pixel limit is rejected`() throws {
    let bytes = try JPEGEncoder().encode(try gradient(16, 16))
    let size = PixelSize(width: 16, height: 16)
    #expect(throws: CoverError.tooLarge(cover: "c", size: size, limit: 255)) {
      try JPEGDecoder(maximumPixels: 255).decode(bytes, fitting: size, cover: "c")
    }
  }

  @Test func `stray bytes before the end marker do not damage a picture`() throws {
    let bytes = try JPEGEncoder().encode(try gradient(16, 16))
    let stray = bytes.dropLast(2) + [0x00, 0x00, 0x00, 0xFF, 0xD9]
    #expect(try decoder.decode(Array(stray), cover: "camera").size.width == 16)
  }

  @Test func `encoding an empty picture throws`() {
    let size = PixelSize(width: 0, height: 0)
    #expect(throws: CoverError.invalidSize(size)) {
      try JPEGEncoder().encode(rgba: UnsafeRawBufferPointer(start: nil, count: 0), size: size)
    }
  }

  @Test func `a picture of one pixel can be encoded and decoded`() throws {
    let bytes = try JPEGEncoder().encode(try solid(1, 1, RGBA(red: 200, green: 100, blue: 50)))
    let box = PixelSize(width: 100, height: 100)
    let pixel = try decoder.decode(bytes, fitting: box, cover: "dot")[0, 0]
    #expect(pixel.distance(to: RGBA(red: 200, green: 100, blue: 50)) <= 4)
  }
}
