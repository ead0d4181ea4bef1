internal import PerfModel

/// A figure as a gnuplot script that contains its data and draws to the standard output; gnuplot is not started
/// here.
struct GnuplotScript {
  let figure: Figure
  let format: ChartFormat

  /// The scale of a PNG, for sharp text on high-resolution screens.
  private static let scale = 2
  private static let width = 1200

  /// The script, for gnuplot 5 or later.
  var text: String {
    let columns = figure.panels.count > 1 ? 2 : 1
    let rows = (figure.panels.count + columns - 1) / columns
    let height = height(rows: rows)
    var lines = [
      // A backslash at the end of a line would continue the comment on the next line.
      "# \(figure.title.withoutControls.escaping(["\\": "/"]))",
      terminal(height: height),
      "set encoding utf8",
      "set border 1 lc rgb '#5b6675'",
      "set tics nomirror out scale 0.5 textcolor rgb '#5b6675'",
      "set ytics scale 0",
      "set grid ytics xtics lc rgb '#e4e7eb' lt 1 lw 0.8",
      "set key left bottom horizontal Left reverse samplen 1.6 width 1 noenhanced",
      "set multiplot",
      "set label 1 \(Self.quoted(figure.title)) at screen \(Self.place(24, of: Self.width)), "
        + "screen \(Self.place(height - 26, of: height)) left noenhanced font ',14'",
    ]
    for (index, panel) in figure.panels.enumerated() {
      lines += margins(
        panel, x: index % columns * Self.width / columns,
        y: Self.heading + index / columns * (height - Self.heading) / rows,
        width: Self.width / columns, height: (height - Self.heading) / rows, of: height)
      lines += commands(panel, number: index)
      lines.append("unset label")
    }
    lines += ["unset multiplot", "unset output"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The height of the heading in pixels.
  private static let heading = 44

  /// Returns the commands for the edges of a panel's plot, in pixels from the top left.
  private func margins(
    _ panel: Panel, x: Int, y: Int, width: Int, height rowHeight: Int, of height: Int
  ) -> [String] {
    let names = panel.y.categories.map(\.count).max() ?? 0
    let left = x + (names > 0 ? min(names * 8 + 20, width / 2) : 84)
    let right = x + width - 28
    let legend = Self.legend(panel, width: right - left)
    // There is room for one row of the legend below the title of the drawing, and for two below the
    // title of a panel.
    let (room, rows) = panel.title.isEmpty ? (34, 1) : (72, 2)
    let top = y + room + 18 * max(0, legend.rows - rows)
    var lines: [String] = []
    if !panel.title.isEmpty {
      lines.append(
        "set label 2 \(Self.quoted(panel.title)) at screen \(Self.place(x + 24, of: Self.width)), "
          + "screen \(Self.place(height - y - 12, of: height)) left noenhanced font ',12'")
    }
    return lines + [
      "set lmargin at screen \(Self.place(left, of: Self.width))",
      "set rmargin at screen \(Self.place(right, of: Self.width))",
      "set tmargin at screen \(Self.place(height - top, of: height))",
      "set bmargin at screen \(Self.place(height - y - rowHeight + 58, of: height))",
      "set key at graph 0, screen \(Self.place(height - top + 8, of: height)) "
        + "maxcols \(legend.columns)",
    ]
  }

  /// Returns the numbers of columns and rows of a panel's legend.
  ///
  /// gnuplot makes all columns as wide as its estimate of the longest name: in a PNG nearly 10
  /// pixels per letter and 45 more. So it may use only as many columns as fit with this width.
  private static func legend(_ panel: Panel, width: Int) -> (columns: Int, rows: Int) {
    let names = panel.layers.compactMap(\.name)
    let longest = names.map(\.count).max() ?? 0
    let columns = max(1, width / (10 * longest + 45))
    return (columns, (names.count + columns - 1) / columns)
  }

  /// Returns a length in pixels as a fraction of the width or height of the drawing.
  private static func place(_ pixels: Int, of whole: Int) -> String {
    NumberFormat.fixed(Double(pixels) / Double(whole), decimals: 4)
  }

  private func height(rows: Int) -> Int {
    let categories = figure.panels.map(\.y.categories.count).max() ?? 0
    if categories > 0 { return rows * max(300, categories * 26 + 150) }
    return figure.panels.count == 1 ? 600 : rows * 400 + Self.heading
  }

  private func terminal(height: Int) -> String {
    switch format {
    case .svg:
      return "set terminal svg size \(Self.width),\(height) dynamic background '#ffffff' "
        + "font 'Helvetica,12' enhanced"
    case .png:
      let size = "size \(Self.width * Self.scale),\(height * Self.scale)"
      return """
        if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {
          set terminal pngcairo \(size) fontscale \(Self.scale) linewidth \(Self.scale) \
        pointscale \(Self.scale) background '#ffffff' font 'DejaVu Sans,11'
        } else {
          set terminal png \(size) linewidth \(Self.scale) font 'DejaVu Sans,22'
        }
        """
    }
  }

  private func commands(_ panel: Panel, number: Int) -> [String] {
    let digits = Self.digits(panel)
    func rows(_ rows: [[Double]]) -> [String] {
      rows.map { row in row.map { Self.number($0, digits) }.joined(separator: " ") }
    }
    func range(from: Double, to: Double) -> String {
      "[\(Self.number(from, digits)):\(Self.number(to, digits))]"
    }
    let (x, y) = (panel.x.range, panel.y.range)
    var lines: [String] = []
    var plots: [String] = []
    for (index, layer) in panel.layers.enumerated() {
      let block = "$p\(number)l\(index)"
      let data = Self.data(layer.marks, panel)
      lines += ["\(block) << EOD"] + rows(data) + ["EOD"]
      if !data.isEmpty { plots.append(Self.clause(block, layer)) }
      let arrows = Self.arrows(layer.marks, x)
      if !arrows.isEmpty {
        lines += ["\(block)arrows << EOD"] + rows(arrows) + ["EOD"]
        plots.append(Self.arrowClause("\(block)arrows", layer))
      }
    }
    lines.append("set xlabel \(Self.quoted(panel.x.label)) noenhanced textcolor rgb '#5b6675'")
    lines.append("set ylabel \(Self.quoted(panel.y.label)) noenhanced textcolor rgb '#5b6675'")
    lines.append("set xrange \(range(from: x.lowerBound, to: x.upperBound))")
    if panel.y.categories.isEmpty {
      lines.append("set yrange \(range(from: y.lowerBound, to: y.upperBound))")
    } else {
      // Rows are ordered from top to bottom.
      lines.append("set yrange \(range(from: y.upperBound, to: y.lowerBound))")
      let names = panel.y.categories.enumerated().map { "\(Self.quoted($0.element)) \($0.offset)" }
      lines.append("set ytics noenhanced (\(names.joined(separator: ", ")))")
    }
    // The default format of gnuplot has six digits.
    let isLong = digits > Self.fewestDigits
    if isLong { lines.append("set format '%.\(digits)g'") }
    if !plots.isEmpty { lines.append("plot \(plots.joined(separator: ", \\\n  "))") }
    if isLong { lines.append("unset format") }
    return lines
  }

  private static let fewestDigits = 6

  /// Returns the number of significant digits of a panel's numbers.
  ///
  /// An axis far from zero needs more digits, so that a ten-thousandth of it (a tenth of a pixel)
  /// is visible.
  private static func digits(_ panel: Panel) -> Int {
    var most = fewestDigits
    for range in [panel.x.range, panel.y.range] {
      let span = range.upperBound - range.lowerBound
      var (digits, rest) = (fewestDigits - 1, max(abs(range.lowerBound), abs(range.upperBound)))
      // A 64-bit floating-point number has at most 15 correct digits.
      while rest > span, digits < 15 {
        rest /= 10
        digits += 1
      }
      most = max(most, digits)
    }
    return most
  }

  private static func number(_ value: Double, _ digits: Int) -> String {
    value.isFinite ? NumberFormat.significant(value, digits: digits) : "NaN"
  }

  /// Returns a string in single quotes, in which gnuplot neither executes nor substitutes anything.
  static func quoted(_ text: String) -> String {
    "'" + text.withoutControls.escaping(["'": "''"]) + "'"
  }
}
