/// A strip plot: the values of launches as dots on a line, for a table cell.
enum StripPlot {
  /// Returns the drawing from the smallest to the largest value; empty for fewer than two values.
  static func svg(_ values: [Double]) -> String {
    guard let low = values.min(), let high = values.max(), values.count > 1 else { return "" }
    let span = high - low
    let dots = values.prefix(60).map { value in
      let x = span > 0 ? 4 + (value - low) / span * 76 : 42
      return "<circle cx=\"\(Markup.number(x))\" cy=\"6\" r=\"2.4\"/>"
    }
    return "<svg class=\"strip\" viewBox=\"0 0 84 12\" aria-hidden=\"true\"><path d=\"M0 6H84\"/>"
      + dots.joined() + "</svg>"
  }
}
