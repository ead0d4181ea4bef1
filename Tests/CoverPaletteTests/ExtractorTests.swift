import CoverCache
import CoverPalette
import PerfTestSupport
import Testing

@Suite struct `an extractor` {
  /// Returns a seeded cover, rotated by 90 degrees: a fading ground, letters, a block of colour,
  /// noise.
  private func cover(_ seed: UInt64, grain: Int) throws(CoverError) -> PixelBuffer {
    var random = SampleRandom(seed: seed)
    let colours = (0..<4).map { _ in
      (0..<3).map { _ in Int.random(in: 60...225, using: &random) }
    }
    let size = PixelSize(width: 3200, height: 48)
    return try PixelBuffer(size: size) { bytes in
      for x in 0..<size.width {
        let isLetter = x / 400 == 1 && (x / 30).isMultiple(of: 2)
        let isBlock = (1200..<2300).contains(x)
        let base = isLetter ? colours[1] : isBlock ? colours[2] : colours[0]
        for y in 0..<size.height {
          for channel in 0..<3 {
            let fade =
              isLetter || isBlock ? 0 : (colours[3][channel] - base[channel]) * x / size.width / 3
            let noise = grain > 0 ? Int(random.around(0, spread: Double(grain))) : 0
            let value = UInt8(max(0, min(255, base[channel] + fade + noise)))
            bytes.storeBytes(
              of: value, toByteOffset: (y * size.width + x) * 4 + channel, as: UInt8.self)
          }
        }
      }
    }
  }

  @Test(arguments: PaletteMethod.allCases, ColorCounting.allCases)
  func `every method and counting finds the two colours of a plain cover`(
    method: PaletteMethod, counting: ColorCounting
  ) throws {
    let blue = RGBA(red: 20, green: 30, blue: 150)
    // The stripes are whole blocks of the JPEG, so that no block has both colours.
    let picture = try stripes([(304, white), (144, blue)])
    let bytes = try JPEGEncoder(quality: 95).encode(picture)
    let extractor = PaletteExtractor(method: method, counting: counting)
    let palette = try extractor.palette(of: bytes, cover: "c")
    // The centre of a cube's box is up to 16 levels off in each channel, which is 0.06 in OKLab.
    #expect(OKLab(palette.background).distance(to: OKLab(white)) < 0.07)
    #expect(OKLab(palette.primary).distance(to: OKLab(blue)) < 0.07)
    #expect(palette.distance(to: extractor.palette(of: picture)) < 0.03)
  }

  @Test(arguments: [false, true], [0, 12])
  func `the palettes of block means and of all pixels are equal`(progressive: Bool, grain: Int)
    throws
  {
    var distances: [Double] = []
    for seed in 1...3 as ClosedRange<UInt64> {
      let picture = try cover(seed, grain: grain)
      let bytes = try JPEGEncoder(isProgressive: progressive).encode(picture)
      let palette = try PaletteExtractor().palette(of: bytes, cover: "c")
      distances.append(palette.distance(to: PaletteExtractor().palette(of: picture)))
    }
    // 0.02 is the least visible difference.
    #expect(distances.reduce(0, +) / 3 <= 0.02, "\(distances)")
  }

  @Test(arguments: [
    PixelSize(width: 2, height: 700), PixelSize(width: 60_000, height: 1),
    PixelSize(width: 1, height: 60_000), PixelSize(width: 601, height: 901),
  ])
  func `pictures of any shape are averaged to the size of the shades`(size: PixelSize) throws {
    let picture = try PixelBuffer(size: size) { bytes in
      bytes.bindMemory(to: RGBA.self).update(repeating: RGBA(red: 255, green: 254, blue: 253))
    }
    let palette = PaletteExtractor().palette(of: picture)
    #expect(palette.background == RGBA(red: 255, green: 254, blue: 253))
  }

  @Test func `the smallest of three scales has the largest weight`() throws {
    // Weights over the square of the scale: 0.5, 0.3 x 4 = 1.2 and 0.2 x 16 = 3.2 of 4.9. Lines of
    // one pixel are black and white at full scale, and grey at a half and a quarter: 4.4 / 4.9 of
    // all.
    let lines = try stripes((0..<100).map { (1, $0.isMultiple(of: 2) ? white : black) })
    let palette = PaletteExtractor(method: .multiScale, counting: .flatCube).palette(of: lines)
    // 127.5 rounds to 128, whose box has its centre at 144.
    #expect(palette.background == RGBA(red: 144, green: 144, blue: 144))
    let single = PaletteExtractor(method: .singleScale, counting: .flatCube).palette(of: lines)
    #expect([16, 240].contains(single.background.red))
  }

  @Test func `scaled methods find both colours of a large picture`() throws {
    let picture = try stripes([(900, white), (900, black)])
    // 1800 x 100 becomes 400 x 22 and 100 x 6; the border between both colours is at most one
    // column.
    for method in [PaletteMethod.singleScale, .multiScale, .quarterScale] {
      let palette = PaletteExtractor(method: method).palette(of: picture)
      #expect(Set([palette.background, palette.primary]) == [white, black])
    }
  }

  @Test func `every method reports truncated and oversized files`() throws {
    let whole = try JPEGEncoder().encode(try stripes([(40, white), (40, black)]))
    let size = PixelSize(width: 80, height: 100)
    for method in PaletteMethod.allCases {
      let extractor = PaletteExtractor(method: method)
      #expect(throws: CoverError.self) {
        try extractor.palette(of: Array(whole.prefix(whole.count / 2)), cover: "c")
      }
      let limited = PaletteExtractor(method: method, decoder: JPEGDecoder(maximumPixels: 7999))
      #expect(throws: CoverError.tooLarge(cover: "c", size: size, limit: 7999)) {
        try limited.palette(of: whole, cover: "c")
      }
    }
  }

  @Test(arguments: [false, true])
  func `a large file that cannot be decoded gets no palette`(progressive: Bool) throws {
    // From 3,200 pixels on, palettes are made of the means of blocks.
    let whole = try JPEGEncoder(isProgressive: progressive).encode(try cover(1, grain: 4))
    let palette = try PaletteExtractor().palette(of: whole, cover: "c")
    for count in [whole.count / 3, whole.count * 3 / 4, whole.count - 40, whole.count - 2] {
      #expect(throws: CoverError.self, "\(count) of \(whole.count) bytes") {
        try PaletteExtractor().palette(of: Array(whole.prefix(count)), cover: "c")
      }
    }
    let frame = try #require(
      whole.indices.dropLast(4).first {
        whole[$0] == 0xFF && whole[$0 + 1] == (progressive ? 0xC2 : 0xC0)
      })
    var twelve = whole
    twelve[frame + 4] = 12
    let reason = "it has 12 bits per sample instead of 8"
    #expect(throws: CoverError.unsupported(cover: "c", reason: reason)) {
      try PaletteExtractor().palette(of: twelve, cover: "c")
    }
    // A stray byte in the header is harmless.
    let stray = Array(whole[..<frame] + [0] + whole[frame...])
    #expect(try PaletteExtractor().palette(of: stray, cover: "c") == palette)
  }

  @Test(arguments: PaletteMethod.allCases)
  func `every method makes a palette of one pixel`(method: PaletteMethod) throws {
    let dot = try PixelBuffer(size: PixelSize(width: 1, height: 1)) { bytes in
      bytes.storeBytes(of: white, as: RGBA.self)
    }
    let bytes = try JPEGEncoder(quality: 100).encode(dot)
    let palette = try PaletteExtractor(method: method).palette(of: bytes, cover: "dot")
    #expect(palette.background == white)
    #expect(palette.text == black)
  }
}
