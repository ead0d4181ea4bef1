import CoverCache
import CoverPalette
import Testing

@Suite struct `a gradient cache` {
  private let cache = GradientCache()

  private func palette(_ background: RGBA) -> Palette {
    Palette(
      primary: black, secondary: black, accent: black, background: background, text: black)
  }

  @Test func `a gradient runs from the background to the primary colour`() throws {
    let size = PixelSize(width: 2, height: 5)
    let gradient = try cache.gradient(of: palette(white), size: size)
    // Four steps from 255 to 0, rounded: 255, 191.25, 127.5, 63.75, 0.
    #expect((0..<5).map { gradient[1, $0].red } == [255, 191, 128, 64, 0])
    #expect(try cache.gradient(of: palette(white), size: size) === gradient)
    #expect(try cache.gradient(of: palette(black), size: size) !== gradient)
  }

  @Test func `the cache keeps at most a hundred gradients and ten megabytes`() throws {
    for shade in UInt8.min...UInt8.max {
      let background = RGBA(red: shade, green: 0, blue: 0)
      _ = try cache.gradient(of: palette(background), size: PixelSize(width: 1, height: 1))
    }
    #expect(cache.metrics.objectCount == 100)
    // 1,000 x 1,000 x 4 bytes are 4 MB, so two of them fit.
    for shade in 0..<5 as Range<UInt8> {
      let background = RGBA(red: 0, green: shade, blue: 0)
      _ = try cache.gradient(of: palette(background), size: PixelSize(width: 1000, height: 1000))
    }
    #expect(cache.metrics.memoryUsage <= 10_000_000)
  }

  @Test func `a gradient of one line is the background`() throws {
    let line = try cache.gradient(of: palette(white), size: PixelSize(width: 3, height: 1))
    #expect(line[2, 0] == white)
  }
}
