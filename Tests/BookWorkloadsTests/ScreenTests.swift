import CoverCache
@testable import LibraryStore
import Testing

@testable import BookWorkloads

struct ScreenTests {
  let red = RGBA(red: 255, green: 0, blue: 0)
  let blue = RGBA(red: 0, green: 0, blue: 255)
  let black = RGBA(red: 0, green: 0, blue: 0)

  func picture(width: Int, height: Int, _ colour: (Int, Int) -> RGBA) throws -> PixelBuffer {
    try PixelBuffer(size: PixelSize(width: width, height: height)) { output throws(CoverError) in
      for y in 0..<height {
        for x in 0..<width {
          let pixel = colour(x, y)
          let start = (y * width + x) * 4
          output[start] = pixel.red
          output[start + 1] = pixel.green
          output[start + 2] = pixel.blue
          output[start + 3] = pixel.alpha
        }
      }
    }
  }

  func book(_ title: String) -> BookRow {
    BookRow(
      workID: 1, title: title, author: "", confidence: 1, cover: nil, status: nil, rating: 0)
  }

  // 3 x 200 + 4 x 16 = 664; rows begin at 16 + 356 r, and row 4 at 1,440 is the last one above 1,500.
  @Test func `the screen shows fifteen of many books`() {
    let layout = ShelfLayout(count: 1_000)
    #expect(layout.screen.width == 664)
    #expect(layout.visible(at: 0) == 0..<15)
  }

  @Test(arguments: [
    // Row 0's caption ends at 16 + 340 = 356. At 1,000 row 2 (728 to 1,068) is the first, and row 6,
    // which begins at 2,152, the last above 2,500.
    (0, 0..<15), (355, 0..<18), (356, 3..<18), (1_000, 6..<21),
  ])
  func `a scrolled list shows the rows at its offset`(offset: Int, visible: Range<Int>) {
    #expect(ShelfLayout(count: 1_000).visible(at: offset) == visible)
  }

  // Four rows of 16 + 4 x 356 = 1,440 pixels fit on the screen; five rows have 1,796.
  @Test(arguments: [(0, 0, 0), (1, 0, 1), (12, 0, 12), (13, 296, 13), (15, 296, 15)])
  func `the list ends with the last book`(count: Int, farthest: Int, visible: Int) {
    let layout = ShelfLayout(count: count)
    #expect(layout.farthestOffset == farthest)
    #expect(layout.visible(at: 0).upperBound == visible)
  }

  @Test func `a gradient spans its rectangle and is clipped to the screen`() throws {
    let screen = Framebuffer(size: PixelSize(width: 4, height: 4))
    screen.fill(ScreenRect(x: 2, y: -2, width: 9, height: 4), from: red, to: blue)
    let shown = try screen.snapshot()
    // Rows 2 and 3 of 4 are two and three quarters of the way: 255 - 127 and 255 - 191.
    #expect(shown[2, 0] == RGBA(red: 128, green: 0, blue: 127))
    #expect(shown[3, 1] == RGBA(red: 64, green: 0, blue: 191))
    #expect(shown[1, 0] == black)
    #expect(shown[3, 2] == black)
  }

  @Test func `a picture is drawn at its position and clipped on every side`() throws {
    let picture = try picture(width: 3, height: 3) {
      RGBA(red: UInt8($0), green: UInt8($1), blue: 9)
    }
    for (x, y) in [(-1, -1), (2, 2), (1, 0), (-5, 0), (9, 9)] {
      let screen = Framebuffer(size: PixelSize(width: 4, height: 4))
      screen.draw(picture, in: ScreenRect(x: x, y: y, width: 3, height: 3))
      let shown = try screen.snapshot()
      for row in 0..<4 {
        for column in 0..<4 {
          let isInside = (x..<x + 3).contains(column) && (y..<y + 3).contains(row)
          #expect(shown[column, row] == (isInside ? picture[column - x, row - y] : black))
        }
      }
    }
  }

  @Test func `a picture of another size is scaled with its nearest pixels`() throws {
    let picture = try picture(width: 4, height: 2) { x, _ in x < 2 ? red : blue }
    let screen = Framebuffer(size: PixelSize(width: 2, height: 1))
    screen.draw(picture, in: ScreenRect(x: 0, y: 0, width: 2, height: 1))
    let shown = try screen.snapshot()
    #expect([shown[0, 0], shown[1, 0]] == [red, blue])
  }

  @Test(arguments: [
    // A 2:3 cover fills the cell; a square or wide cover is centred.
    (400, 600, ScreenRect(x: 10, y: 20, width: 200, height: 300)),
    (50, 50, ScreenRect(x: 10, y: 70, width: 200, height: 200)),
    (100, 300, ScreenRect(x: 60, y: 20, width: 100, height: 300)),
  ])
  func `covers keep their aspect ratio`(width: Int, height: Int, place: ScreenRect) {
    let cell = ScreenRect(x: 10, y: 20, width: 200, height: 300)
    #expect(ShelfPainter.place(of: PixelSize(width: width, height: height), in: cell) == place)
  }

  @Test func `cells show their cover or a placeholder`() throws {
    let layout = ShelfLayout(count: 2)
    let painter = ShelfPainter(framebuffer: Framebuffer(size: layout.screen), layout: layout)
    let cover = try picture(width: 200, height: 300) { _, _ in red }
    painter.paint([book("One"), book("Two words")]) { index in
      ShelfPainter.Cell(cover: index == 0 ? cover : nil)
    }
    let shown = try painter.framebuffer.snapshot()
    #expect(shown[16, 16] == red)
    #expect(shown[215, 315] == red)
    #expect(shown[232, 16] == ShelfPainter.neutral.top)
    // "Two" is a bar of 3 x 9 pixels and a gap of 9 pixels, six pixels below the cover.
    let bar = [232, 258, 259, 267, 268].map { shown[$0, 322].red < 100 }
    #expect(bar == [true, true, false, false, true])
  }
}
