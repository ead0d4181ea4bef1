import CoverCache
import CoverPalette
import Testing

@Suite struct `a colour in OKLab` {
  /// The table of Ottosson's post, in CIE XYZ, converted to linear sRGB for this test.
  ///
  /// https://bottosson.github.io/posts/oklab/, "Table of example XYZ and Oklab pairs". The matrix
  /// is that of IEC 61966-2-1 with more digits.
  @Test(arguments: [
    ([0.950, 1.000, 1.089], [1.000, 0.000, 0.000]),
    ([1.000, 0.000, 0.000], [0.450, 1.236, -0.019]),
    ([0.000, 1.000, 0.000], [0.922, -0.671, 0.263]),
    ([0.000, 0.000, 1.000], [0.153, -1.415, -0.449]),
  ])
  func `OKLab has the values of its author's table`(xyz: [Double], expected: [Double]) {
    let colour = OKLab(
      linearRed: 3.2404542 * xyz[0] - 1.5371385 * xyz[1] - 0.4985314 * xyz[2],
      green: -0.9692660 * xyz[0] + 1.8760108 * xyz[1] + 0.0415560 * xyz[2],
      blue: 0.0556434 * xyz[0] - 0.2040259 * xyz[1] + 1.0572252 * xyz[2])
    // The table has three decimals.
    #expect(abs(colour.lightness - expected[0]) < 0.003)
    #expect(abs(colour.greenRed - expected[1]) < 0.003)
    #expect(abs(colour.blueYellow - expected[2]) < 0.003)
  }

  @Test func `sRGB red has the OKLab value of CSS Color 4`() {
    // oklab(0.62796 0.22486 0.12585), CSS Color Module Level 4, sample conversions.
    let red = OKLab(RGBA(red: 255, green: 0, blue: 0))
    #expect(abs(red.lightness - 0.62796) < 0.00001)
    #expect(abs(red.greenRed - 0.22486) < 0.00001)
    #expect(abs(red.blueYellow - 0.12585) < 0.00001)
    #expect(abs(red.chroma - 0.25768) < 0.00001)
  }

  @Test func `black and white have the distance one in OKLab`() {
    let black = OKLab(RGBA(red: 0, green: 0, blue: 0))
    let white = OKLab(RGBA(red: 255, green: 255, blue: 255))
    #expect(abs(black.distance(to: white) - 1) < 0.0001)
    #expect(abs(white.chroma) < 0.0001)
  }
}

@Suite struct `contrast` {
  let white = RGBA(red: 255, green: 255, blue: 255)

  @Test func `the contrast of black and white is 21`() {
    #expect(abs(RGBA(red: 0, green: 0, blue: 0).contrast(with: white) - 21) < 1e-9)
  }

  @Test func `the contrast of the lightest readable grey with white is 4.54`() {
    // 0x76 = 118: ((118/255 + 0.055) / 1.055)^2.4 = 0.18116; 1.05 / 0.23116 = 4.542.
    let grey = RGBA(red: 118, green: 118, blue: 118)
    #expect(abs(grey.contrast(with: white) - 4.542) < 0.001)
    #expect(grey.contrast(with: white) == white.contrast(with: grey))
  }
}
