import CoverCache
import CoverPalette
import PerfTestSupport
import Testing

/// Returns a picture that is made of vertical stripes of some columns and colours.
func stripes(_ stripes: [(columns: Int, colour: RGBA)]) throws(CoverError) -> PixelBuffer {
  let row = stripes.flatMap { Array(repeating: $0.colour, count: $0.columns) }
  let size = PixelSize(width: row.count, height: 100)
  return try PixelBuffer(size: size) { bytes in
    for y in 0..<100 {
      for (x, colour) in row.enumerated() {
        bytes.storeBytes(of: colour, toByteOffset: (y * row.count + x) * 4, as: RGBA.self)
      }
    }
  }
}

let white = RGBA(red: 255, green: 255, blue: 255)
let black = RGBA(red: 0, green: 0, blue: 0)

@Suite struct `a colour cube` {
  @Test func `puts a colour at the centre of its box`() throws {
    // 200/32 = 6, 100/32 = 3, 50/32 = 1: centres 6x32+16 = 208, 112, 48.
    let cube = ColorCube(of: try stripes([(10, RGBA(red: 200, green: 100, blue: 50))]))
    #expect(cube.peaks.map(\.colour) == [RGBA(red: 208, green: 112, blue: 48)])
    #expect(cube.peaks.map(\.share) == [1])
  }

  @Test func `orders its peaks by share, then by colour`() throws {
    let cube = ColorCube(
      of: try stripes([(30, white), (50, RGBA(red: 64, green: 0, blue: 0)), (20, black)]))
    #expect(cube.peaks.map(\.share) == [0.5, 0.3, 0.2])
    let even = ColorCube(of: try stripes([(1, white), (1, black)]))
    #expect(even.peaks.map { $0.colour.red } == [16, 240])
  }

  @Test func `leaves out a thousandth of the pixels, and no more`() throws {
    // 100,000 pixels: one column is 100 of them, a thousandth; two are over it.
    let one = ColorCube(of: try stripes([(999, white), (1, black)]))
    #expect(one.peaks.count == 1)
    let two = ColorCube(of: try stripes([(998, white), (2, black)]))
    #expect(two.peaks.map(\.share) == [0.998, 0.002])
  }
}

@Suite struct `a palette` {
  let extractor = PaletteExtractor()

  @Test func `of one colour has it behind, and what is readable on it`() throws {
    // Luminance of (208, 112, 48): 0.2126 x 0.6308 + 0.7152 x 0.1620 + 0.0722 x 0.0296 = 0.2521;
    // contrast with black 0.3021 / 0.05 = 6.0, with white 1.05 / 0.3021 = 3.5.
    let cover = try stripes([(10, RGBA(red: 200, green: 100, blue: 50))])
    let background = RGBA(red: 208, green: 112, blue: 48)
    let expected = Palette(
      primary: black, secondary: black, accent: black, background: background, text: black)
    #expect(extractor.palette(of: cover) == expected)
  }

  @Test func `of two colours takes the second for all the rest`() throws {
    // Contrast of (16, 16, 144) with (240, 240, 240): (0.871 + 0.05) / (0.025 + 0.05) = 12.3.
    let cover = try stripes([(75, white), (25, RGBA(red: 0, green: 0, blue: 130))])
    let blue = RGBA(red: 16, green: 16, blue: 144)
    let background = RGBA(red: 240, green: 240, blue: 240)
    let expected = Palette(
      primary: blue, secondary: blue, accent: blue, background: background, text: blue)
    #expect(extractor.palette(of: cover) == expected)
  }

  @Test func `gives the accent to the most colourful of what is left`() throws {
    // All of one share, so presence goes by chroma: blue before red before brown; grey has none.
    let cover = try stripes([
      (60, white), (10, RGBA(red: 240, green: 16, blue: 16)),
      (10, RGBA(red: 112, green: 80, blue: 48)), (10, RGBA(red: 16, green: 16, blue: 240)),
      (10, RGBA(red: 144, green: 144, blue: 144)),
    ])
    let palette = extractor.palette(of: cover)
    #expect(palette.primary == RGBA(red: 16, green: 16, blue: 240))
    #expect(palette.secondary == RGBA(red: 240, green: 16, blue: 16))
    #expect(palette.accent == RGBA(red: 112, green: 80, blue: 48))
  }

  @Test func `of no pixels that count is black on white`() {
    let palette = Palette(assigning: [])
    #expect(palette.background == white)
    #expect(palette.text == black)
  }

  @Test func `always has text that can be read`() {
    var random = SampleRandom(seed: 5)
    for _ in 0..<2000 {
      let peaks = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        let values = (0..<3).map { _ in UInt8(Int.random(in: 0..<8, using: &random) * 32 + 16) }
        return ColorCube.Peak(
          colour: RGBA(red: values[0], green: values[1], blue: values[2]), share: 0.1)
      }
      let palette = Palette(assigning: peaks)
      #expect(palette.text.contrast(with: palette.background) >= 4.5)
    }
  }

  @Test func `is the same by both methods where both see all pixels`() throws {
    var random = SampleRandom(seed: 6)
    for _ in 0..<20 {
      let cover = try stripes(
        (0..<8).map { _ in
          let values = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
          let colour = RGBA(red: values[0], green: values[1], blue: values[2])
          return (columns: Int.random(in: 1...20, using: &random), colour: colour)
        })
      let naive = PaletteExtractor(method: .everyPixel).palette(of: cover)
      #expect(naive == extractor.palette(of: cover))
    }
  }

  @Test func `comes from a JPEG decoded small or whole alike`() throws {
    let cover = try stripes([(300, white), (140, RGBA(red: 20, green: 30, blue: 150))])
    let bytes = try JPEGEncoder(quality: 95).encode(cover)
    let small = try PaletteExtractor(method: .scaled(side: 50)).palette(of: bytes, cover: "c")
    let whole = try PaletteExtractor(method: .everyPixel).palette(of: bytes, cover: "c")
    #expect(small.background == RGBA(red: 240, green: 240, blue: 240))
    #expect(small.primary == RGBA(red: 16, green: 16, blue: 144))
    #expect(small.background == whole.background)
    #expect(small.primary == whole.primary)
  }

  @Test func `is not to be had from what is no JPEG`() {
    let reason = "it does not begin with the bytes FF D8"
    #expect(throws: CoverError.notJPEG(cover: "c", reason: reason)) {
      try extractor.palette(of: [1, 2, 3], cover: "c")
    }
  }
}
