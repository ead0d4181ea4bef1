internal import PerfModel

struct SVGPanel {
  let panel: Panel
  let layout: PanelLayout

  init(_ panel: Panel) {
    self.panel = panel
    layout = PanelLayout(panel)
  }

  /// The elements without the surrounding `svg` element.
  var elements: String {
    var parts: [String] = []
    if !panel.title.isEmpty {
      parts.append(text(panel.title, x: 0, y: 13, class: "title"))
    }
    parts += grid
    parts += panel.layers.map(draw)
    let plot = layout.plot
    parts.append(line(plot.left, plot.bottom, plot.right, plot.bottom, class: "axis"))
    parts += legend
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The attributes with ranges and edges of both axes, from which the script computes values under
  /// the pointer.
  var scaleAttribute: String {
    guard panel.y.categories.isEmpty else { return "" }
    let (x, y, plot) = (panel.x.range, panel.y.range, layout.plot)
    let numbers = [
      x.lowerBound, x.upperBound, plot.left, plot.right, y.lowerBound, y.upperBound, plot.bottom,
      plot.top,
    ]
    let scale = numbers.map { NumberFormat.significant($0, digits: 6) }.joined(separator: " ")
    return " data-scale=\"\(scale)\" data-x=\"\(Markup.escape(panel.x.label))\""
      + " data-y=\"\(Markup.escape(panel.y.label))\""
  }

  // MARK: Axes

  private var grid: [String] {
    let plot = layout.plot
    var parts: [String] = []
    let columns = Ticks.values(in: panel.x.range, count: panel.shape == .wide ? 10 : 6)
    for tick in columns where panel.y.categories.isEmpty || tick != 0 {
      let x = layout.x(tick)
      parts.append(line(x, plot.top, x, plot.bottom, class: "grid"))
    }
    parts += columns.map {
      text(Ticks.label($0), x: layout.x($0), y: plot.bottom + 15, anchor: "middle", class: "tick")
    }
    if panel.y.categories.isEmpty {
      for tick in Ticks.values(in: panel.y.range, count: 5) {
        let y = layout.y(tick)
        parts.append(line(plot.left, y, plot.right, y, class: "grid"))
        parts.append(
          text(Ticks.label(tick), x: plot.left - 6, y: y + 4, anchor: "end", class: "tick"))
      }
    } else {
      parts += panel.y.categories.enumerated().map { row, name in
        let limit = Int((plot.left - 10) / PanelLayout.characterWidth)
        return text(
          TextWrapping.shortened(name, to: limit), x: plot.left - 8,
          y: layout.y(Double(row)) + 4, anchor: "end", class: "tick")
      }
    }
    parts.append(
      text(panel.x.label, x: plot.right, y: plot.bottom + 32, anchor: "end", class: "label"))
    if !panel.y.label.isEmpty {
      parts.append(text(panel.y.label, x: 0, y: plot.top - 9, class: "label"))
    }
    return parts
  }

  private var legend: [String] {
    let top = panel.title.isEmpty ? 10.0 : 32.0
    return layout.legend.flatMap { entry -> [String] in
      let y = top + entry.y
      let x = entry.x + PanelLayout.LegendEntry.nameOffset
      return [
        key(entry.layer, x: entry.x, y: y), text(entry.words, x: x, y: y + 4, class: "legend"),
      ]
    }
  }

  private func key(_ layer: Layer, x: Double, y: Double) -> String {
    let role = layer.role.rawValue
    return switch layer.marks {
    case .line, .steps, .horizontal, .vertical, .intervals:
      line(x, y, x + 13, y, class: "l \(role)")
    case .dots: circle(x + 6, y, 3, role)
    case .band, .stripe: rectangle(x, y - 5, 13, 10, class: "a \(role)")
    case .impulses, .boxes, .bars: rectangle(x, y - 5, 13, 10, class: "f \(role)")
    }
  }

  // MARK: Marks

  private func draw(_ layer: Layer) -> String {
    let role = layer.role.rawValue + (layer.isFaint ? " faint" : "")
    let plot = layout.plot
    // The script shows values of named layers under the pointer.
    let name = layer.isFaint ? nil : layer.name ?? panel.title
    switch layer.marks {
    case .impulses(let points):
      let impulses = points.map {
        "M\(n(layout.x($0.x))) \(n(plot.bottom))V\(n(layout.clampedY($0.y)))"
      }
      return path(impulses.joined(), class: "l i \(role)", name: name)
    case .boxes(let points, let width):
      let boxes = points.map { point in
        let (left, right) = (layout.clampedX(point.x), layout.clampedX(point.x + width))
        let top = layout.clampedY(point.y)
        return "M\(n(left)) \(n(plot.bottom))V\(n(top))H\(n(right))V\(n(plot.bottom))Z"
      }
      return path(boxes.joined(), class: "a b \(role)", name: name)
    case .line(let points):
      return path(polyline(points), class: "l \(role)", name: name)
    case .steps(let points):
      return path(steps(points), class: "l \(role)", name: name)
    case .dots(let points):
      return points.map { circle(layout.x($0.x), layout.clampedY($0.y), 3, role) }.joined()
    case .intervals(let intervals):
      return intervals.map { interval($0, role: role) }.joined()
    case .bars(let bars):
      return bars.map { bar($0, role: role) }.joined()
    case .horizontal(let height):
      let y = layout.clampedY(height)
      return line(plot.left, y, plot.right, y, class: "l \(role)")
    case .vertical(let place):
      let x = layout.clampedX(place)
      return line(x, plot.top, x, plot.bottom, class: "l \(role)")
    case .stripe(let range):
      let (left, right) = (layout.clampedX(range.lowerBound), layout.clampedX(range.upperBound))
      return rectangle(left, plot.top, right - left, plot.bottom - plot.top, class: "a \(role)")
    case .band(let range):
      let (top, bottom) = (layout.clampedY(range.upperBound), layout.clampedY(range.lowerBound))
      return rectangle(plot.left, top, plot.right - plot.left, bottom - top, class: "a \(role)")
    }
  }

  private func polyline(_ points: [Layer.Point]) -> String {
    points.enumerated().map { index, point in
      "\(index == 0 ? "M" : "L")\(n(layout.x(point.x))) \(n(layout.clampedY(point.y)))"
    }.joined()
  }

  private func steps(_ points: [Layer.Point]) -> String {
    guard let first = points.first else { return "" }
    let start = "M\(n(layout.clampedX(first.x))) \(n(layout.plot.bottom))"
    return start
      + points.map { "H\(n(layout.clampedX($0.x)))V\(n(layout.clampedY($0.y)))" }.joined()
      + "H\(n(layout.plot.right))"
  }

  private func bar(_ bar: Layer.Bar, role: String) -> String {
    let left = layout.clampedX(min(bar.from, bar.to))
    let right = layout.clampedX(max(bar.from, bar.to))
    // A bar without extent is drawn as a line.
    return rectangle(
      left, layout.y(Double(bar.row)) - 8, max(right - left, 1), 16, class: "a b \(role)")
  }

  private func interval(_ interval: Layer.Interval, role: String) -> String {
    let y = layout.y(Double(interval.row))
    let (low, high) = (layout.clampedX(interval.low), layout.clampedX(interval.high))
    var marks = line(low, y, high, y, class: "l w \(role)")
    func arrow(_ tip: Double, _ back: Double) -> String {
      "<path class=\"f \(role)\" d=\"M\(n(tip)) \(n(y))L\(n(back)) \(n(y - 5))V\(n(y + 5))Z\"/>"
    }
    let continues = interval.continues(beyond: panel.x.range)
    if continues.left { marks += arrow(low, low + 8) }
    if continues.right { marks += arrow(high, high - 8) }
    guard panel.x.range.contains(interval.value) else { return marks }
    return marks + circle(layout.clampedX(interval.value), y, 4, role)
  }

  // MARK: Elements

  private func n(_ value: Double) -> String { Markup.number(value) }

  private func path(_ data: String, class name: String, name label: String?) -> String {
    guard !data.isEmpty else { return "" }
    let title = label.map { " data-name=\"\(Markup.escape($0))\"" } ?? ""
    return "<path class=\"\(name)\"\(title) d=\"\(data)\"/>"
  }

  private func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, class name: String
  ) -> String {
    "<path class=\"\(name)\" d=\"M\(n(x1)) \(n(y1))L\(n(x2)) \(n(y2))\"/>"
  }

  private func circle(_ x: Double, _ y: Double, _ radius: Int, _ role: String) -> String {
    "<circle class=\"f \(role)\" cx=\"\(n(x))\" cy=\"\(n(y))\" r=\"\(radius)\"/>"
  }

  private func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, class name: String
  ) -> String {
    "<rect class=\"\(name)\" x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(max(width, 0)))\" "
      + "height=\"\(n(max(height, 0)))\"/>"
  }

  private func text(
    _ content: String, x: Double, y: Double, anchor: String = "start", class name: String
  ) -> String {
    let place = anchor == "start" ? "" : " text-anchor=\"\(anchor)\""
    return "<text class=\"\(name)\" x=\"\(n(x))\" y=\"\(n(y))\"\(place)>"
      + "\(Markup.escape(content))</text>"
  }
}
