import CoverCache
import Testing

@Suite struct `a pixel buffer` {
  @Test func `a pixel buffer keeps the pixels of its creation`() throws {
    let picture = try picture(3, 2) { x, y in RGBA(red: UInt8(x), green: UInt8(y), blue: 9) }
    #expect(picture[2, 1] == RGBA(red: 2, green: 1, blue: 9))
    #expect(picture.byteCount == 3 * 2 * 4)
    #expect(picture.withPixels { $0[4] } == RGBA(red: 1, green: 1, blue: 9))
  }

  @Test func `a large picture is readable in mapped memory`() throws {
    // 100x100x4 = 40,000 bytes, above the mapping threshold of 32 KiB.
    let picture = try gradient(100, 100)
    #expect(picture[99, 99].red == UInt8(99 * 255 / 100))
  }

  @Test(arguments: [
    PixelSize(width: 0, height: 5), PixelSize(width: -1, height: 1),
    PixelSize(width: Int.max, height: 2),
  ])
  func `an empty or overflowing size is rejected`(size: PixelSize) {
    #expect(throws: CoverError.invalidSize(size)) { try PixelBuffer(size: size) { _ in } }
  }

  @Test func `a size beyond the address space throws outOfMemory`() {
    let size = PixelSize(width: 1 << 30, height: 1 << 20)
    #expect(throws: CoverError.outOfMemory(bytes: 1 << 52)) { try PixelBuffer(size: size) { _ in } }
  }
}

@Suite struct `scaling down` {
  @Test func `scaling by a whole factor averages blocks exactly`() throws {
    // Blocks of 2x2: (0 + 10 + 20 + 30) / 4 = 15 and (40 + 50 + 60 + 70) / 4 = 55.
    let values: [[UInt8]] = [[0, 10, 40, 50], [20, 30, 60, 70]]
    let source = try picture(4, 2) { x, y in RGBA(red: values[y][x], green: 0, blue: 0) }
    let scaled = try source.scaledDown(to: PixelSize(width: 2, height: 1))
    #expect(scaled[0, 0] == RGBA(red: 15, green: 0, blue: 0))
    #expect(scaled[1, 0] == RGBA(red: 55, green: 0, blue: 0))
  }

  @Test func `scaling divides a pixel between the two target pixels it straddles`() throws {
    // Three columns become two, so each new one covers 1.5 old ones: (0 + 90/2) / 1.5 = 30 and
    // (90/2 + 240) / 1.5 = 190.
    let values: [UInt8] = [0, 90, 240]
    let wide = try picture(3, 1) { x, _ in RGBA(red: values[x], green: 0, blue: 0) }
    let columns = try wide.scaledDown(to: PixelSize(width: 2, height: 1))
    #expect([columns[0, 0].red, columns[1, 0].red] == [30, 190])
    let tall = try picture(1, 3) { _, y in RGBA(red: values[y], green: 0, blue: 0) }
    let rows = try tall.scaledDown(to: PixelSize(width: 1, height: 2))
    #expect([rows[0, 0].red, rows[0, 1].red] == [30, 190])
  }

  @Test(arguments: [(500, 750, 267, 400), (7, 5, 3, 2), (101, 101, 100, 100), (640, 1, 1, 1)])
  func `scaling keeps a uniform colour`(width: Int, height: Int, toWidth: Int, toHeight: Int) throws
  {
    let colour = RGBA(red: 255, green: 1, blue: 130)
    let target = PixelSize(width: toWidth, height: toHeight)
    let scaled = try solid(width, height, colour).scaledDown(to: target)
    #expect(scaled.size == target)
    #expect(largestDifference(scaled, try solid(toWidth, toHeight, colour)) == 0)
  }

  @Test func `scaling to the same size returns the same picture`() throws {
    let picture = try gradient(5, 5)
    #expect(try picture.scaledDown(to: picture.size) === picture)
  }

  @Test func `scaling up throws`() throws {
    let target = PixelSize(width: 6, height: 5)
    #expect(throws: CoverError.invalidSize(target)) {
      try gradient(5, 5).scaledDown(to: target)
    }
  }

  @Test(arguments: [
    (PixelSize(width: 4000, height: 6000), PixelSize(width: 267, height: 400)),
    (PixelSize(width: 6000, height: 4000), PixelSize(width: 400, height: 267)),
    (PixelSize(width: 399, height: 400), PixelSize(width: 399, height: 400)),
    (PixelSize(width: 60_000, height: 1), PixelSize(width: 400, height: 1)),
  ])
  func `fitting into a box keeps the aspect ratio`(size: PixelSize, fitted: PixelSize) {
    #expect(size.fitted(into: PixelSize(width: 400, height: 400)) == fitted)
  }
}
