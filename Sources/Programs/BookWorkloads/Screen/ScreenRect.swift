/// A rectangle of pixels; it may lie outside of the screen, wholly or in part.
struct ScreenRect: Hashable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  /// Its rows that are on a screen of some height, counted from its own upper edge.
  func visibleRows(of height: Int) -> Range<Int> {
    (y..<y + self.height).clamped(to: 0..<height).shifted(by: -y)
  }

  /// Its columns that are on a screen of some width, counted from its own left edge.
  func visibleColumns(of width: Int) -> Range<Int> {
    (x..<x + self.width).clamped(to: 0..<width).shifted(by: -x)
  }
}

extension Range<Int> {
  fileprivate func shifted(by distance: Int) -> Self {
    lowerBound + distance..<upperBound + distance
  }
}
