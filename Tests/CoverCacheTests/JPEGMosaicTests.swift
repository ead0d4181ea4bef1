import CoverCache
import PerfTestSupport
import Testing

@Suite struct `a mosaic` {
  let decoder = JPEGDecoder()

  /// Returns the largest difference in brightness, which does not depend on chroma subsampling.
  private func brightnessDifference(_ left: PixelBuffer, _ right: PixelBuffer) -> Int {
    func brightness(_ pixel: RGBA) -> Int {
      (299 * Int(pixel.red) + 587 * Int(pixel.green) + 114 * Int(pixel.blue)) / 1000
    }
    var largest = 0
    for y in 0..<left.height {
      for x in 0..<left.width {
        largest = max(largest, abs(brightness(left[x, y]) - brightness(right[x, y])))
      }
    }
    return largest
  }

  @Test(arguments: JPEGFixture.allCases)
  func `a mosaic has the mean brightness of each block`(fixture: JPEGFixture) throws {
    let whole = try decoder.decode(fixture.bytes, cover: "f")
    let mosaic = try decoder.decodeMosaic(fixture.bytes, cover: "f")
    #expect(mosaic.size == PixelSize(width: 3, height: 3))
    // Allows rounding and clipped colours; one step of the fixtures is 10.
    #expect(brightnessDifference(mosaic, try whole.scaledDown(to: mosaic.size)) <= 5)
  }

  @Test(arguments: [JPEGFixture.full, .grey, .rgb])
  func `a mosaic of full-resolution colours equals the 1/8 decode`(
    fixture: JPEGFixture
  ) throws {
    let box = PixelSize(width: 1, height: 1)
    let eighth = try decoder.decode(fixture.bytes, covering: box, cover: "f")
    let mosaic = try decoder.decodeMosaic(fixture.bytes, cover: "f")
    #expect(largestDifference(mosaic, eighth) <= 1)
  }

  @Test(arguments: [1, 30, 75, 100], [false, true])
  func `a mosaic has the brightness of the 1/8 decode at any quality`(
    quality: Int, progressive: Bool
  ) throws {
    // Noise at quality 100 uses the longest codes and blocks without an end-of-block code.
    var random = SampleRandom(seed: UInt64(quality))
    let noise = try picture(61, 43) { x, y in
      RGBA(
        red: UInt8.random(in: 0...255, using: &random), green: UInt8(x * 4), blue: UInt8(y * 5))
    }
    let bytes = try JPEGEncoder(quality: quality, isProgressive: progressive).encode(noise)
    let eighth = try decoder.decode(
      bytes, covering: PixelSize(width: 1, height: 1), cover: "noise")
    let mosaic = try decoder.decodeMosaic(bytes, cover: "noise")
    #expect(mosaic.size == PixelSize(width: 8, height: 6))
    // Half of a quantisation step that a first scan omits: 255 / 8 / 2 at quality 1.
    let tolerance = progressive && quality == 1 ? 20 : 4
    // Subsampled colours may be clipped at 0 and 255 in other places.
    #expect(brightnessDifference(mosaic, eighth) <= tolerance + (quality == 1 ? 40 : 10))
  }

  @Test(arguments: JPEGFixture.allCases)
  func `a truncated file has no mosaic`(fixture: JPEGFixture) {
    let bytes = fixture.bytes
    for length in bytes.indices {
      let part = Array(bytes.prefix(length))
      #expect(throws: CoverError.self, "\(length) bytes") {
        try decoder.decodeMosaic(part, cover: "f")
      }
    }
  }

  @Test(
    arguments: [
      // Coefficients that end before they begin, end after 63 or begin with the mean.
      [9, 5, 0x02], [1, 64, 0x02], [0, 5, 0x02],
      // Refinements of more than one bit, of too many bits, and of bits that are not missing.
      [1, 5, 0x31], [1, 5, 0x0E], [1, 5, 0x32],
    ] as [[UInt8]])
  func `a progressive file with an invalid later scan has no mosaic`(parameters: [UInt8]) throws {
    let bytes = JPEGFixture.progressive.bytes
    #expect(try decoder.decodeMosaic(bytes, cover: "p").width == 3)
    let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
    // The second scan has one component: marker, length, count, component, then the parameters.
    var damaged = bytes
    damaged.replaceSubrange(scans[1] + 7..<scans[1] + 10, with: parameters)
    #expect(throws: CoverError.self) { try decoder.decode(damaged, cover: "p") }
    #expect(throws: CoverError.self) { try decoder.decodeMosaic(damaged, cover: "p") }
  }

  @Test(arguments: JPEGFixture.allCases)
  func `a file with flipped bits gives a picture or an error`(fixture: JPEGFixture) {
    var random = SampleRandom(seed: 11)
    let decoder = JPEGDecoder(maximumPixels: 1_000_000)
    for _ in 0..<400 {
      var bytes = fixture.bytes.adding(exif(6))
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
          1 << UInt8.random(in: 0...7, using: &random)
      }
      // The decoder must neither crash nor allocate a size invented by a flipped bit.
      let mosaic = try? decoder.decodeMosaic(bytes, cover: "f")
      #expect(mosaic.map { $0.width * $0.height <= 1_000_000 } ?? true)
      guard mosaic != nil else { continue }
      #expect(throws: Never.self) { try decoder.decode(bytes, cover: "f") }
    }
  }

  @Test func `oversized files and other formats are rejected with a reason`() throws {
    var huge = JPEGFixture.full.bytes
    let frame = try #require(huge.indices.first { huge[$0] == 0xFF && huge[$0 + 1] == 0xC0 })
    // Height and width of the frame, both 65,500.
    huge.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
    let size = PixelSize(width: 65_500, height: 65_500)
    #expect(throws: CoverError.tooLarge(cover: "f", size: size, limit: 100_000_000)) {
      try decoder.decodeMosaic(huge, cover: "f")
    }
    #expect(
      throws: CoverError.notJPEG(cover: "f", reason: "it does not begin with the bytes FF D8")
    ) { try decoder.decodeMosaic(Array("GIF89a".utf8), cover: "f") }
    #expect(throws: CoverError.self) { try decoder.decodeMosaic([], cover: "f") }
  }

  @Test func `malformed colour profiles and camera data do not change a mosaic`() throws {
    let bytes = JPEGFixture.full.bytes
    let expected = try decoder.decodeMosaic(bytes, cover: "f")
    let exif = Array("Exif\0\0".utf8) + [0x4D, 0x4D, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    let profile = Array("ICC_PROFILE\0".utf8) + [9, 1, 0xFF, 0xD8, 0xFF, 0xDA]
    for (marker, content) in [(UInt8(0xE1), exif), (0xE2, profile)] {
      let segment = [0xFF, marker, 0, UInt8(content.count + 2)] + content
      let mosaic = try decoder.decodeMosaic(bytes[..<2] + segment + bytes[2...], cover: "f")
      #expect(largestDifference(mosaic, expected) == 0)
      // A segment length beyond the end of the file leaves no picture.
      let endless = [0xFF, marker, 0xFF, 0xFF] + content
      #expect(throws: CoverError.self) {
        try decoder.decodeMosaic(bytes[..<2] + endless + bytes[2...], cover: "f")
      }
    }
  }

  @Test func `the mosaic of a one-pixel picture is that pixel`() throws {
    let bytes = try JPEGEncoder().encode(try solid(1, 1, RGBA(red: 200, green: 100, blue: 50)))
    let mosaic = try decoder.decodeMosaic(bytes, cover: "dot")
    #expect(mosaic.size == PixelSize(width: 1, height: 1))
    #expect(mosaic[0, 0].distance(to: RGBA(red: 200, green: 100, blue: 50)) <= 4)
  }
}
