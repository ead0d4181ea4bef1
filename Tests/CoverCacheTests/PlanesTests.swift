import Testing

@testable import CoverCache

@Suite struct `The planes of a JPEG` {
  /// Returns a picture of four colours, a quarter each.
  private func picture(width: Int, height: Int) throws -> PixelBuffer {
    try PixelBuffer(size: PixelSize(width: width, height: height)) { bytes in
      let pixels = bytes.bindMemory(to: RGBA.self)
      let colours = [
        RGBA(red: 220, green: 30, blue: 40), RGBA(red: 20, green: 160, blue: 60),
        RGBA(red: 30, green: 60, blue: 200), RGBA(red: 240, green: 220, blue: 20),
      ]
      for y in 0..<height {
        for x in 0..<width {
          pixels[y * width + x] = colours[(y * 2 / height) * 2 + x * 2 / width]
        }
      }
    }
  }

  @Test(arguments: [(64, 96), (65, 97), (1, 1)])
  func `colour planes have half the resolution, rounded up`(width: Int, height: Int) throws {
    let bytes = try JPEGEncoder(quality: 95).encode(try picture(width: width, height: height))
    let planes = try JPEGDecoder().decodePlanes(bytes, cover: "c")
    #expect(planes.size == PixelSize(width: width, height: height))
    #expect(planes.chromaSize == PixelSize(width: (width + 1) / 2, height: (height + 1) / 2))
    #expect(
      planes.lumaSize
        == PixelSize(width: planes.chromaSize.width * 2, height: planes.chromaSize.height * 2))
    #expect(try planes.coarsePicture().size == planes.chromaSize)
  }

  @Test func `the coarse picture of planes has the colours of the pixels`() throws {
    let bytes = try JPEGEncoder(quality: 95).encode(try picture(width: 64, height: 96))
    let pixels = try JPEGDecoder().decode(bytes, cover: "c")
    let coarse = try JPEGDecoder().decodePlanes(bytes, cover: "c").coarsePicture()
    // In the middle of each quarter, where no block has two colours.
    for (x, y) in [(16, 24), (48, 24), (16, 72), (48, 72)] {
      let (fine, rough) = (pixels[x, y], coarse[x / 2, y / 2])
      for channel in [\RGBA.red, \.green, \.blue] {
        #expect(abs(Int(fine[keyPath: channel]) - Int(rough[keyPath: channel])) <= 2)
      }
    }
  }

  @Test func `a grey file has only a brightness plane`() throws {
    let planes = try JPEGDecoder().decodePlanes(JPEGFixture.grey.bytes, cover: "c")
    #expect(planes.chromaSize == PixelSize(width: 0, height: 0))
    let picture = try planes.coarsePicture()
    #expect(picture.size == planes.size)
    let pixels = try JPEGDecoder().decode(JPEGFixture.grey.bytes, cover: "c")
    #expect(picture[0, 0] == pixels[0, 0])
  }

  @Test func `decoding planes of a CMYK, RGB or non-JPEG file throws`() {
    #expect(throws: CoverError.self) { try JPEGDecoder().decodePlanes([1, 2], cover: "c") }
    #expect(throws: CoverError.self) {
      try JPEGDecoder().decodePlanes(JPEGFixture.cmyk.bytes, cover: "c")
    }
    #expect(throws: CoverError.self) {
      try JPEGDecoder().decodePlanes(JPEGFixture.rgb.bytes, cover: "c")
    }
  }
}
