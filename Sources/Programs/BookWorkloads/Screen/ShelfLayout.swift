internal import CoverCache

/// A grid of books: covers of 2:3 with a caption below, at two pixels a point.
///
/// The numbers are the case study's: three columns on a phone held upright, covers 150 points high.
struct ShelfLayout: Hashable {
  /// The size at which covers are shown.
  static let cover = PixelSize(width: 200, height: 300)
  /// Pixels below a cover for its title.
  static let captionHeight = 40
  /// Pixels between two cells and at the rim.
  static let spacing = 16
  /// Pixels from one row to the next.
  static let rowHeight = cover.height + captionHeight + spacing

  /// Cells in a row.
  let columns: Int
  /// How many books there are.
  let count: Int
  /// The size of the screen; three columns give that of a phone, on which fifteen covers are seen.
  let screen: PixelSize

  /// Creates a layout.
  init(count: Int, columns: Int = 3) {
    self.columns = columns
    self.count = count
    screen = PixelSize(
      width: columns * Self.cover.width + (columns + 1) * Self.spacing, height: 1_500)
  }

  /// How far the list can be scrolled, in pixels.
  var farthestOffset: Int {
    let rows = (count + columns - 1) / columns
    return max(0, rows * Self.rowHeight + Self.spacing - screen.height)
  }

  /// Returns the books of which something is seen when the list is scrolled by some pixels.
  func visible(at offset: Int) -> Range<Int> {
    // The spacing is above a row, so its caption ends where the next row's spacing begins.
    let first = offset / Self.rowHeight
    let end = (offset + screen.height - Self.spacing - 1) / Self.rowHeight + 1
    return min(count, first * columns)..<min(count, max(0, end) * columns)
  }

  /// Returns where the cover of a book is on the screen.
  func coverRect(of index: Int, at offset: Int) -> ScreenRect {
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    return ScreenRect(
      x: Self.spacing + column * (Self.cover.width + Self.spacing),
      y: Self.spacing + row * Self.rowHeight - offset,
      width: Self.cover.width, height: Self.cover.height)
  }
}
