internal import CoverCache
internal import LibraryStore

/// Paints the cells of a shelf: gradient, cover and title.
struct ShelfPainter {
  /// The content of a cell.
  struct Cell {
    /// The cover; nil paints only the gradient.
    var cover: PixelBuffer?
    /// The colours of the gradient.
    var gradient: (top: RGBA, bottom: RGBA) = ShelfPainter.neutral
  }

  /// The gradient of a book with unknown colours.
  static let neutral = (
    top: RGBA(red: 228, green: 228, blue: 232), bottom: RGBA(red: 200, green: 200, blue: 206)
  )
  private static let paper = RGBA(red: 250, green: 250, blue: 248)
  private static let ink = RGBA(red: 70, green: 70, blue: 76)
  private static let letterWidth = 9
  private static let lineHeight = 16

  let framebuffer: Framebuffer
  let layout: ShelfLayout

  /// Paints the whole screen at a scroll offset in pixels.
  func paint(_ books: [BookRow], at offset: Int = 0, cell: (Int) -> Cell) {
    framebuffer.fill(
      ScreenRect(x: 0, y: 0, width: layout.screen.width, height: layout.screen.height),
      with: Self.paper)
    for index in layout.visible(at: offset) where books.indices.contains(index) {
      paint(cell(index), of: books[index], at: index, offset: offset)
    }
  }

  /// Paints one cell over the existing pixels.
  func paint(_ cell: Cell, of book: BookRow, at index: Int, offset: Int = 0) {
    let rect = layout.coverRect(of: index, at: offset)
    if cell.cover.map({ Self.place(of: $0.size, in: rect) }) != rect {
      framebuffer.fill(rect, from: cell.gradient.top, to: cell.gradient.bottom)
    }
    if let cover = cell.cover {
      framebuffer.draw(cover, in: Self.place(of: cover.size, in: rect))
    }
    paintTitle(
      book.title,
      in: ScreenRect(
        x: rect.x, y: rect.y + rect.height + 6, width: rect.width,
        height: ShelfLayout.captionHeight - 6))
  }

  /// Returns the centred rectangle in which a picture keeps its aspect ratio.
  static func place(of picture: PixelSize, in rect: ScreenRect) -> ScreenRect {
    let byWidth = picture.height * rect.width / max(1, picture.width)
    if byWidth <= rect.height {
      let height = max(1, byWidth)
      return ScreenRect(
        x: rect.x, y: rect.y + (rect.height - height) / 2, width: rect.width, height: height)
    }
    let width = max(1, picture.width * rect.height / max(1, picture.height))
    return ScreenRect(
      x: rect.x + (rect.width - width) / 2, y: rect.y, width: width, height: rect.height)
  }

  /// Paints a title in at most two lines, each word as a bar; only the layout matters.
  private func paintTitle(_ title: String, in rect: ScreenRect) {
    framebuffer.fill(rect, with: Self.paper)
    var x = 0
    var line = 0
    for word in title.split(separator: " ") {
      let width = min(word.count * Self.letterWidth, rect.width)
      if x + width > rect.width {
        line += 1
        x = 0
      }
      guard line < 2 else { return }
      framebuffer.fill(
        ScreenRect(x: rect.x + x, y: rect.y + line * Self.lineHeight, width: width, height: 10),
        with: Self.ink)
      x += width + Self.letterWidth
    }
  }
}
