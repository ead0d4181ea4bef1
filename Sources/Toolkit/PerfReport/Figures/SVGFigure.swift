internal import PerfModel

/// The renderer of figures as SVG, without other programs.
enum SVGFigure {
  /// Returns a standalone SVG file, with a light or dark background by the reader's system setting.
  static func document(_ figure: Figure) -> String {
    let isAlone = figure.panels.count == 1
    let drawn = figure.panels.map { panel in
      var panel = panel
      if isAlone { panel.shape = .wide }
      return SVGPanel(panel)
    }
    let places = places(of: drawn)
    let width = 960.0
    let height = (places.map(\.bottom).max() ?? 0) + 16
    let panels = zip(drawn, places).map { panel, place in
      "<g transform=\"translate(\(Markup.number(16 + place.x)) \(Markup.number(44 + place.y)))\">\n"
        + panel.elements + "\n</g>"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Markup.number(width + 32)) \
      \(Markup.number(height + 44))" width="\(Markup.number(width + 32))" role="img">
      <title>\(Markup.escape(figure.title))</title>
      <desc>\(Markup.escape(figure.summary))</desc>
      <style>\(Markup.text(PackageResources.chart_css))</style>
      <rect class="page" width="100%" height="100%"/>
      <text class="heading" x="16" y="26">\(Markup.escape(figure.title))</text>
      \(panels.joined(separator: "\n"))
      </svg>

      """
  }

  /// Returns one panel as an SVG element for a page that contains the style sheet.
  static func inline(_ panel: Panel, label: String) -> String {
    let drawn = SVGPanel(panel)
    let (width, height) = (drawn.layout.width, drawn.layout.height)
    return "<svg class=\"chart \(panel.shape == .wide ? "wide" : "half")\" viewBox=\"0 0 "
      + "\(Markup.number(width)) \(Markup.number(height))\" role=\"img\" "
      + "aria-label=\"\(Markup.escape(label))\"\(drawn.scaleAttribute)>\n\(drawn.elements)\n</svg>"
  }

  /// Returns the positions of panels; two half-width panels share a row.
  private static func places(
    of panels: [SVGPanel]
  ) -> [(x: Double, y: Double, bottom: Double)] {
    var places: [(x: Double, y: Double, bottom: Double)] = []
    var y = 0.0
    var isSecondHalf = false
    for panel in panels {
      let isHalf = panel.panel.shape == .half
      if !isHalf, isSecondHalf, let last = places.last {
        y = last.bottom + 12
        isSecondHalf = false
      }
      let bottom = y + panel.layout.height
      places.append((isHalf && isSecondHalf ? 490 : 0, y, bottom))
      isSecondHalf = isHalf && !isSecondHalf
      if !isSecondHalf { y = bottom + 12 }
    }
    return places
  }
}
