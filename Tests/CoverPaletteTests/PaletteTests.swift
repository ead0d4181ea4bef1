import CoverCache
import CoverPalette
import PerfTestSupport
import Testing

/// Returns a picture of vertical stripes with given widths and colours.
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
  @Test func `nested and flat cubes count the same peaks`() throws {
    var random = SampleRandom(seed: 3)
    let columns = (0..<300).map { _ in
      let values = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
      return (columns: 1, colour: RGBA(red: values[0], green: values[1], blue: values[2]))
    }
    let picture = try stripes(columns)
    #expect(NestedColorCube(of: picture).peaks == ColorCube(of: picture).peaks)
    let means = MeanCube(of: picture).peaks
    #expect(means.map(\.share) == ColorCube(of: picture).peaks.map(\.share))
  }

  @Test func `a mean cube has the mean colour of each box`() throws {
    // Both shades fall into the box that starts at 192, 96 and 32: (3 x 200 + 210) / 4 = 202.5.
    let cube = MeanCube(
      of: try stripes([
        (3, RGBA(red: 200, green: 100, blue: 50)), (1, RGBA(red: 210, green: 100, blue: 50)),
      ]))
    #expect(cube.peaks.map(\.colour) == [RGBA(red: 203, green: 100, blue: 50)])
  }

  @Test func `a cube returns the centre of a colour's box`() throws {
    // 200/32 = 6, 100/32 = 3, 50/32 = 1: the centres are 6x32+16 = 208, 112, 48.
    let cube = ColorCube(of: try stripes([(10, RGBA(red: 200, green: 100, blue: 50))]))
    #expect(cube.peaks.map(\.colour) == [RGBA(red: 208, green: 112, blue: 48)])
    #expect(cube.peaks.map(\.share) == [1])
  }

  @Test func `peaks are ordered by share, then by colour`() throws {
    let cube = ColorCube(
      of: try stripes([(30, white), (50, RGBA(red: 64, green: 0, blue: 0)), (20, black)]))
    #expect(cube.peaks.map(\.share) == [0.5, 0.3, 0.2])
    let even = ColorCube(of: try stripes([(1, white), (1, black)]))
    #expect(even.peaks.map { $0.colour.red } == [16, 240])
  }

  @Test func `colours of up to a thousandth of the pixels are omitted`() throws {
    // 100,000 pixels: one column is a thousandth of them; two are more.
    let one = ColorCube(of: try stripes([(999, white), (1, black)]))
    #expect(one.peaks.count == 1)
    let two = ColorCube(of: try stripes([(998, white), (2, black)]))
    #expect(two.peaks.map(\.share) == [0.998, 0.002])
  }
}

@Suite struct `a palette` {
  let extractor = PaletteExtractor()

  @Test func `a cover of one colour has it in all roles and gets readable text`() throws {
    // Luminance of (200, 100, 50): 0.2126 x 0.5776 + 0.7152 x 0.1274 + 0.0722 x 0.0319 = 0.2162.
    // Contrast with black: 0.2662 / 0.05 = 5.3, with white: 1.05 / 0.2662 = 3.9.
    let background = RGBA(red: 200, green: 100, blue: 50)
    let cover = try stripes([(10, background)])
    let expected = Palette(
      primary: background, secondary: background, accent: background, background: background,
      text: black)
    #expect(extractor.palette(of: cover) == expected)
  }

  @Test func `a cover of two colours uses the second for all other roles`() throws {
    // Contrast of (0, 0, 130) with white: 1.05 / (0.0722 x 0.2232 + 0.05) = 15.9.
    let blue = RGBA(red: 0, green: 0, blue: 130)
    let expected = Palette(
      primary: blue, secondary: blue, accent: blue, background: white, text: blue)
    #expect(extractor.palette(of: try stripes([(75, white), (25, blue)])) == expected)
  }

  @Test func `three colours give three roles, if necessary with the background`() throws {
    let colours = [
      white, RGBA(red: 200, green: 20, blue: 20), RGBA(red: 20, green: 30, blue: 150),
    ]
    let palette = extractor.palette(
      of: try stripes(zip([50, 30, 20], colours).map { (columns: $0, colour: $1) }))
    #expect(palette.background == white)
    #expect(Set([palette.primary, palette.secondary, palette.accent]) == Set(colours))
  }

  @Test func `a small colourful object has a role in a picture of two dull shades`() throws {
    // 2 % of a strong red and 2 % of a strong blue between 96 % of greys.
    let red = RGBA(red: 220, green: 30, blue: 30)
    let blue = RGBA(red: 30, green: 60, blue: 200)
    let palette = extractor.palette(
      of: try stripes([
        (60, RGBA(red: 180, green: 180, blue: 180)), (3, red), (3, blue),
        (84, RGBA(red: 140, green: 140, blue: 140)),
      ]))
    #expect(Set([palette.primary, palette.secondary, palette.accent]).isSuperset(of: [red, blue]))
  }

  @Test func `the border between two colours is no colour of the palette`() throws {
    // At 150 pixels the border of 1,000 columns is a mixture, which no pixel of the picture has.
    let red = RGBA(red: 200, green: 20, blue: 20)
    let blue = RGBA(red: 20, green: 30, blue: 150)
    let palette = extractor.palette(of: try stripes([(603, red), (397, blue)]))
    #expect(Set(palette.roles.dropLast()) == [red, blue])
  }

  @Test func `a palette does not depend on the box of a noisy shade`() throws {
    // 95 and 97 fall into two boxes, but the picture has one grey and one red.
    let red = RGBA(red: 200, green: 20, blue: 20)
    let palettes = try [20, 35, 50].map { count in
      extractor.palette(
        of: try stripes([
          (count, RGBA(red: 95, green: 95, blue: 95)),
          (70 - count, RGBA(red: 97, green: 97, blue: 97)), (30, red),
        ]))
    }
    #expect(palettes.allSatisfy { $0.distance(to: palettes[0]) < 0.005 })
    #expect(palettes[0].primary == red)
  }

  @Test func `of five colours, each has a role`() throws {
    // White is the most present. Beside it the darkest one, brown, is the text. OKLab chroma: blue
    // 0.29, red 0.24, grey 0.
    let blue = RGBA(red: 16, green: 16, blue: 240)
    let red = RGBA(red: 240, green: 16, blue: 16)
    let grey = RGBA(red: 144, green: 144, blue: 144)
    let brown = RGBA(red: 60, green: 40, blue: 20)
    let cover = try stripes([(60, white), (10, red), (10, brown), (10, blue), (10, grey)])
    let expected = Palette(
      primary: red, secondary: grey, accent: blue, background: white, text: brown)
    #expect(extractor.palette(of: cover) == expected)
  }

  @Test func `text is mixed with white or black until it is readable`() throws {
    // On a background of luminance 0.2623 only black reaches 4.5: 0.3123 / 0.05 = 6.2. Blue has the
    // luminance 0.0791 and a contrast of 0.3123 / 0.1291 = 2.4.
    let ground = RGBA(red: 140, green: 140, blue: 140)
    let blue = RGBA(red: 30, green: 80, blue: 140)
    let palette = extractor.palette(of: try stripes([(75, ground), (25, blue)]))
    #expect(palette.primary == blue)
    #expect((4.5...4.6).contains(palette.text.contrast(with: ground)))
    #expect(palette.text.blue > 2 * palette.text.red)
  }

  @Test func `a palette without peaks is black on white`() {
    let palette = Palette(assigning: [])
    #expect(palette.background == white)
    #expect(palette.text == black)
  }

  @Test func `the text colour is always readable`() {
    var random = SampleRandom(seed: 5)
    for _ in 0..<2000 {
      let peaks = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        let values = (0..<3).map { _ in UInt8(Int.random(in: 0..<8, using: &random) * 32 + 16) }
        return ColorPeak(
          colour: RGBA(red: values[0], green: values[1], blue: values[2]), share: 0.1)
      }
      let palette = Palette(assigning: peaks)
      #expect(palette.text.contrast(with: palette.background) >= 4.5)
    }
  }

  @Test func `two methods that count all pixels give the same palette`() throws {
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

  @Test func `the distance of palettes compares them role by role`() {
    let one = Palette(
      primary: white, secondary: black, accent: black, background: white, text: black)
    let other = Palette(
      primary: black, secondary: black, accent: black, background: white, text: white)
    #expect(one.distance(to: one) == 0)
    // Black and white are 1 apart in OKLab; two of five roles differ.
    #expect(abs(one.distance(to: other) - 0.4) < 0.0001)
  }

  @Test func `a palette of a non-JPEG file throws`() {
    let reason = "it does not begin with the bytes FF D8"
    #expect(throws: CoverError.notJPEG(cover: "c", reason: reason)) {
      try extractor.palette(of: [1, 2, 3], cover: "c")
    }
  }
}
