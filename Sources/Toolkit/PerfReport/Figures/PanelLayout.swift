internal import PerfModel

/// Where things of a panel are, in the pixels of its drawing.
struct PanelLayout {
  /// The whole drawing.
  let width: Double
  let height: Double
  /// The part between the axes.
  let plot: (left: Double, right: Double, top: Double, bottom: Double)
  /// The layers that have a name, in their order.
  let legend: [LegendEntry]
  private let panel: Panel

  /// A layer with its place in the legend.
  struct LegendEntry {
    let layer: Layer
    /// Its name, with the middle left out where it alone is wider than the drawing.
    let words: String
    /// The left edge of its mark, and how far it is below the first row.
    let x: Double
    let y: Double

    /// From the left edge of its mark to its name.
    static let nameOffset = 18.0
  }

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
    legend = Self.legend(panel.layers, width: width)
    // What further rows of the legend take is added to the height.
    let more = legend.last?.y ?? 0
    let top = (panel.title.isEmpty ? 20.0 : 40) + (legend.isEmpty ? 0 : 24 + more)
    height = rows > 0 ? top + Double(rows) * 24 + 44 : (panel.shape == .wide ? 280 : 260) + more
    plot = (left, width - 14, top, height - 40)
  }

  /// Places the names side by side, in as many rows as they take.
  private static func legend(_ layers: [Layer], width: Double) -> [LegendEntry] {
    let most = Int((width - LegendEntry.nameOffset) / characterWidth)
    var entries: [LegendEntry] = []
    var (x, y) = (0.0, 0.0)
    for layer in layers {
      guard let name = layer.name else { continue }
      let words = TextWrapping.shortened(name, to: most)
      let taken = LegendEntry.nameOffset + Double(words.count) * characterWidth
      if x > 0, x + taken > width {
        x = 0
        y += 18
      }
      entries.append(LegendEntry(layer: layer, words: words, x: x, y: y))
      x += taken + 16
    }
    return entries
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
