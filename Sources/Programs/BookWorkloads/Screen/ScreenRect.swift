/// A rectangle of pixels, which may be partly or completely outside the screen.
struct ScreenRect: Hashable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  /// Returns the rows that are visible on a screen of some height, relative to the upper edge.
  func visibleRows(of height: Int) -> Range<Int> {
    (y..<y + self.height).clamped(to: 0..<height).shifted(by: -y)
  }

  /// Returns the columns that are visible on a screen of some width, relative to the left edge.
  func visibleColumns(of width: Int) -> Range<Int> {
    (x..<x + self.width).clamped(to: 0..<width).shifted(by: -x)
  }
}

extension Range<Int> {
  fileprivate func shifted(by distance: Int) -> Self {
    lowerBound + distance..<upperBound + distance
  }
}
