internal import PerfModel

/// The layout of a panel in pixels.
struct PanelLayout {
  let width: Double
  let height: Double
  /// The edges of the area between the axes.
  let plot: (left: Double, right: Double, top: Double, bottom: Double)
  let legend: [LegendEntry]
  private let panel: Panel

  struct LegendEntry {
    let layer: Layer
    /// The layer's name, shortened to the width of the drawing.
    let words: String
    /// The left edge of the key, and the offset from the first row.
    let x: Double
    let y: Double

    /// The distance from the left edge of the key to the name.
    static let nameOffset = 18.0
  }

  /// The approximate width of a character in the drawing's font.
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
    // Further rows of the legend increase the height.
    let more = legend.last?.y ?? 0
    let top = (panel.title.isEmpty ? 20.0 : 40) + (legend.isEmpty ? 0 : 24 + more)
    height = rows > 0 ? top + Double(rows) * 24 + 44 : (panel.shape == .wide ? 280 : 260) + more
    plot = (left, width - 14, top, height - 40)
  }

  /// Places the names side by side, in as many rows as needed.
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
    let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    return plot.left + share * (plot.right - plot.left)
  }

  func y(_ value: Double) -> Double {
    let range = panel.y.range
    let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    // Rows are ordered from top to bottom.
    return panel.y.categories.isEmpty
      ? plot.bottom - share * (plot.bottom - plot.top)
      : plot.top + share * (plot.bottom - plot.top)
  }

  func clampedY(_ value: Double) -> Double { min(max(y(value), plot.top), plot.bottom) }

  func clampedX(_ value: Double) -> Double { min(max(x(value), plot.left), plot.right) }
}
