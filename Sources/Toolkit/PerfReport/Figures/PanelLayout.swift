internal import PerfModel

/// Where things of a panel are, in the pixels of its drawing.
struct PanelLayout {
  /// The whole drawing.
  let width: Double
  let height: Double
  /// The part between the axes.
  let plot: (left: Double, right: Double, top: Double, bottom: Double)
  private let panel: Panel

  /// Characters of the drawing's font are about so wide.
  static let characterWidth = 6.3

  init(_ panel: Panel) {
    self.panel = panel
    let rows = panel.y.categories.count
    width = panel.shape == .wide ? 960 : 470
    let labels =
      rows > 0
      ? panel.y.categories.map(\.count)
      : Ticks.values(in: panel.y.range, count: 5).map { Ticks.label($0).count }
    let left = min(Double(labels.max() ?? 1) * Self.characterWidth + 14, 240)
    let hasLegend = panel.layers.contains { $0.name != nil }
    let top = (panel.title.isEmpty ? 0.0 : 20) + (hasLegend ? 24 : 0) + 20
    height = rows > 0 ? top + Double(rows) * 24 + 44 : (panel.shape == .wide ? 280 : 260)
    plot = (left, width - 14, top, height - 40)
  }

  func x(_ value: Double) -> Double {
    let range = panel.x.range
    return plot.left
      + (value - range.lowerBound) / (range.upperBound - range.lowerBound)
      * (plot.right - plot.left)
  }

  func y(_ value: Double) -> Double {
    let range = panel.y.range
    let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    // Rows are read from the top down.
    return panel.y.categories.isEmpty
      ? plot.bottom - share * (plot.bottom - plot.top)
      : plot.top + share * (plot.bottom - plot.top)
  }

  /// A height inside of the panel: what is above is cut at the upper edge.
  func clampedY(_ value: Double) -> Double { min(max(y(value), plot.top), plot.bottom) }

  /// A place between left and right, cut at the edges.
  func clampedX(_ value: Double) -> Double { min(max(x(value), plot.left), plot.right) }
}
