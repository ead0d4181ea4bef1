import CoverCache
import Testing

@testable import BookWorkloads

struct CoverTests {
  let workshop = CoverWorkshop(seed: 7, sizes: .small)

  func decoded(_ index: Int) throws -> PixelBuffer {
    try JPEGDecoder().decode(workshop.encodedCover(index), cover: "\(index)")
  }

  @Test(arguments: [0, 1, 17])
  func `every hundred covers have the sizes of a real library`(hundred: Int) {
    let workshop = CoverWorkshop(seed: 3, sizes: .real)
    let formats = (hundred * 100..<hundred * 100 + 100).map { workshop.format(of: $0) }
    let counts = Dictionary(grouping: formats, by: \.size.width).mapValues(\.count)
    #expect(counts == [400: 55, 800: 25, 1_000: 12, 1_600: 6, 4_000: 2])
    // (55 x 0.24 + 25 x 0.96 + 12 x 1.5 + 6 x 3.84 + 2 x 24) / 100 = 1.2624 megapixels.
    #expect(formats.reduce(0) { $0 + $1.size.width * $1.size.height } == 126_240_000)
  }

  // 3 of 10; four standard deviations of 10,000 are 183.
  @Test func `three of ten covers are progressive`() {
    let count = (0..<10_000).count { workshop.format(of: $0).isProgressive }
    #expect(abs(count - 3_000) < 183)
  }

  @Test func `a cover has the size and encoding of its format`() throws {
    for index in 0..<30 {
      let format = workshop.format(of: index)
      let header = try JPEGDecoder().header(of: workshop.encodedCover(index), cover: "\(index)")
      #expect(header.size == format.size)
      #expect(header.isProgressive == format.isProgressive)
    }
  }

  @Test func `a cover does not depend on earlier covers`() throws {
    let fresh = try CoverWorkshop(seed: 7, sizes: .small).encodedCover(12)
    _ = try workshop.encodedCover(3)
    #expect(try workshop.encodedCover(12) == fresh)
    #expect(try workshop.encodedCover(13) != fresh)
  }

  @Test func `the covers include light, dark and colourful ones`() throws {
    // The mean of the brightest channel and the mean distance between channels, for 60 covers.
    var brightness: [Double] = []
    var colourfulness: [Double] = []
    for index in 0..<60 {
      let picture = try decoded(index)
      var sums = (bright: 0, distance: 0)
      for y in 0..<picture.height {
        for x in 0..<picture.width {
          let pixel = picture[x, y]
          let channels = [Int(pixel.red), Int(pixel.green), Int(pixel.blue)]
          let high = channels.max() ?? 0
          sums.bright += high
          sums.distance += high - (channels.min() ?? 0)
        }
      }
      let count = Double(picture.width * picture.height)
      brightness.append(Double(sums.bright) / count)
      colourfulness.append(Double(sums.distance) / count)
    }
    #expect(brightness.count { $0 > 170 } >= 10)
    #expect(brightness.count { $0 < 85 } >= 10)
    #expect(colourfulness.count { $0 > 60 } >= 10)
  }

  @Test func `lettering stays on the canvas`() {
    // One pixel on each side of a canvas in the middle of the memory must stay zero.
    let size = PixelSize(width: 50, height: 75)
    let pixels = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 50 * 77)
    defer { pixels.deallocate() }
    pixels.update(repeating: 0)
    let inner = UnsafeMutableBufferPointer(rebasing: pixels[50..<50 * 76])
    for stream in 0..<20 {
      var random = SplitMix64(seed: 1, stream: UInt64(stream))
      let design = CoverDesign(&random)
      CoverPainter.paint(design, on: CoverCanvas(size: size, pixels: inner), &random)
    }
    #expect(pixels.prefix(50).allSatisfy { $0 == 0 })
    #expect(pixels.suffix(50).allSatisfy { $0 == 0 })
    #expect(inner.allSatisfy { $0 >> 24 == 0xFF })
  }

  @Test func `rectangles and discs are clipped`() {
    let pixels = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 16)
    defer { pixels.deallocate() }
    pixels.update(repeating: 0)
    let canvas = CoverCanvas(size: PixelSize(width: 4, height: 4), pixels: pixels)
    canvas.fill(x: -2, y: 3, width: 4, height: 9, with: 1)
    canvas.fill(x: 9, y: 0, width: 4, height: 4, with: 2)
    canvas.fillDisc(centreX: 3, centreY: 0, radius: 1, with: 3)
    #expect(Array(pixels) == [0, 0, 3, 3, 0, 0, 0, 3, 0, 0, 0, 0, 1, 1, 0, 0])
  }
}
