internal import CoverCache

/// A grid of books: 2:3 covers with captions, at two pixels per point.
///
/// The sizes are from the case study: three columns on an upright phone, covers 150 points high.
struct ShelfLayout: Hashable {
  /// The size of a displayed cover, in pixels.
  static let cover = PixelSize(width: 200, height: 300)
  /// The height of the caption below a cover, in pixels.
  static let captionHeight = 40
  /// The spacing between cells and at the edges, in pixels.
  static let spacing = 16
  /// The scale of the screen, in pixels per point.
  static let pixelsPerPoint = 2.0
  /// The distance between two rows, in pixels.
  static let rowHeight = cover.height + captionHeight + spacing

  /// The number of cells per row.
  let columns: Int
  let count: Int
  /// The size of the screen; with three columns a phone that shows fifteen covers.
  let screen: PixelSize

  init(count: Int, columns: Int = 3) {
    self.columns = columns
    self.count = count
    screen = PixelSize(
      width: columns * Self.cover.width + (columns + 1) * Self.spacing, height: 1_500)
  }

  /// The largest scroll offset, in pixels.
  var farthestOffset: Int {
    let rows = (count + columns - 1) / columns
    return max(0, rows * Self.rowHeight + Self.spacing - screen.height)
  }

  /// Returns the books that are at least partly visible at a scroll offset in pixels.
  func visible(at offset: Int) -> Range<Int> {
    // The spacing belongs to the row below it.
    let first = offset / Self.rowHeight
    let end = (offset + screen.height - Self.spacing - 1) / Self.rowHeight + 1
    return min(count, first * columns)..<min(count, max(0, end) * columns)
  }

  /// Returns the rectangle of a book's cover on the screen.
  func coverRect(of index: Int, at offset: Int) -> ScreenRect {
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    return ScreenRect(
      x: Self.spacing + column * (Self.cover.width + Self.spacing),
      y: Self.spacing + row * Self.rowHeight - offset,
      width: Self.cover.width, height: Self.cover.height)
  }
}
