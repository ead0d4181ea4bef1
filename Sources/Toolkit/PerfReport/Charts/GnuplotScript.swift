internal import PerfModel

/// A figure as a gnuplot script with its data in it; nothing is run here.
public struct GnuplotScript: Sendable {
  /// What is drawn.
  let figure: Figure
  /// Into which kind of file.
  let format: ChartFormat
  /// Where gnuplot writes the file.
  let output: String

  /// Pixels of a PNG for one of the drawing, for sharp text on fine screens.
  private static let scale = 2
  private static let width = 1200

  /// Creates the script of a figure.
  public init(_ figure: Figure, format: ChartFormat, output: String) {
    self.figure = figure
    self.format = format
    self.output = output
  }

  /// The script, for any gnuplot from version 5.
  public var text: String {
    let columns = figure.panels.count > 1 ? 2 : 1
    let rows = (figure.panels.count + columns - 1) / columns
    let height = height(rows: rows)
    var lines = [
      "# \(Self.comment(figure.title))",
      terminal(height: height),
      "set output \(Self.quoted(output))",
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
      let cell = (
        x: index % columns * Self.width / columns,
        y: Self.heading + index / columns * (height - Self.heading) / rows,
        width: Self.width / columns, height: (height - Self.heading) / rows
      )
      lines += margins(
        panel, x: cell.x, y: cell.y, width: cell.width, bottom: cell.y + cell.height, height)
      lines += commands(panel, number: index)
      lines.append("unset label")
    }
    lines += ["unset multiplot", "unset output"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Pixels of the heading.
  private static let heading = 44

  /// The edges of a panel's plot within its part of the drawing, in pixels from the top left.
  private func margins(
    _ panel: Panel, x: Int, y: Int, width: Int, bottom: Int, _ height: Int
  ) -> [String] {
    let names = panel.y.categories.map(\.count).max() ?? 0
    let left = x + (names > 0 ? min(names * 8 + 20, width / 2) : 84)
    let right = x + width - 28
    let legend = Self.legend(panel, width: right - left)
    // Below the title of the drawing is room for one row of the legend, below a panel's for two.
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
      "set bmargin at screen \(Self.place(height - bottom + 58, of: height))",
      "set key at graph 0, screen \(Self.place(height - top + 8, of: height)) "
        + "maxcols \(legend.columns)",
    ]
  }

  /// How many columns the legend of a panel has, and how many rows.
  ///
  /// gnuplot makes all columns as wide as it thinks the longest name is: in a PNG it takes nearly 10
  /// pixels for each letter and 45 more. As many as fit then are all that it may make.
  private static func legend(_ panel: Panel, width: Int) -> (columns: Int, rows: Int) {
    let names = panel.layers.compactMap(\.name)
    let longest = names.map(\.count).max() ?? 0
    let columns = max(1, width / (10 * longest + 45))
    return (columns, (names.count + columns - 1) / columns)
  }

  /// A place as a fraction of the drawing.
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

  // MARK: Panels

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
      // Rows are read from the top down.
      lines.append("set yrange \(range(from: y.upperBound, to: y.lowerBound))")
      let names = panel.y.categories.enumerated().map { "\(Self.quoted($0.element)) \($0.offset)" }
      lines.append("set ytics noenhanced (\(names.joined(separator: ", ")))")
    }
    // gnuplot's own format has six digits.
    let isLong = digits > Self.fewestDigits
    if isLong { lines.append("set format '%.\(digits)g'") }
    if !plots.isEmpty { lines.append("plot \(plots.joined(separator: ", \\\n  "))") }
    if isLong { lines.append("unset format") }
    return lines
  }

  /// The numbers of a layer, a row a mark.
  private static func data(_ marks: Layer.Marks, _ panel: Panel) -> [[Double]] {
    let (x, y) = (panel.x.range, panel.y.range)
    switch marks {
    case .impulses(let points), .line(let points), .steps(let points), .dots(let points):
      return points.map { [$0.x, $0.y] }
    case .boxes(let points, let width):
      return points.map { [$0.x + width / 2, $0.y, width] }
    case .intervals(let intervals):
      // Beyond the edge gnuplot draws neither an estimate nor the tick at an end.
      let beyond = 0.01 * (x.upperBound - x.lowerBound)
      let cut = { (value: Double) in
        min(max(value, x.lowerBound - beyond), x.upperBound + beyond)
      }
      return intervals.map { [cut($0.value), Double($0.row), cut($0.low), cut($0.high)] }
    case .bars(let bars):
      return bars.map { bar -> [Double] in
        let place = Double(bar.row)
        return [
          (bar.from + bar.to) / 2, place, min(bar.from, bar.to), max(bar.from, bar.to),
          place - 0.33, place + 0.33,
        ]
      }
    case .horizontal(let height):
      return [[x.lowerBound, height], [x.upperBound, height]]
    case .vertical(let place):
      return [[place, y.lowerBound], [place, y.upperBound]]
    case .stripe(let range):
      return [rectangle(range, y)]
    case .band(let range):
      return [rectangle(x, range)]
    }
  }

  /// An arrow at each edge beyond which an interval goes on: where it begins, and how far it goes.
  private static func arrows(_ marks: Layer.Marks, _ range: ClosedRange<Double>) -> [[Double]] {
    guard case .intervals(let intervals) = marks else { return [] }
    // The head has a size of its own, and hides so short a line.
    let length = 0.005 * (range.upperBound - range.lowerBound)
    return intervals.flatMap { interval -> [[Double]] in
      let (place, goesOn) = (Double(interval.row), interval.goesOn(beyond: range))
      var arrows: [[Double]] = []
      if goesOn.left { arrows.append([range.lowerBound + length, place, -length]) }
      if goesOn.right { arrows.append([range.upperBound - length, place, length]) }
      return arrows
    }
  }

  private static func rectangle(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> [Double] {
    [
      (x.lowerBound + x.upperBound) / 2, (y.lowerBound + y.upperBound) / 2, x.lowerBound,
      x.upperBound, y.lowerBound, y.upperBound,
    ]
  }

  private static func clause(_ block: String, _ layer: Layer) -> String {
    let colour = lineColour(layer)
    let title = layer.name.map { "title \(quoted($0))" } ?? "notitle"
    let style: String
    switch layer.marks {
    case .impulses: style = "using 1:2 with impulses lw 1.2 \(colour)"
    case .boxes: style = "using 1:2:3 with boxes fs solid 0.45 noborder \(colour)"
    case .line: style = "using 1:2 with lines lw \(layer.isFaint ? 0.8 : 1.6) \(colour)"
    case .steps: style = "using 1:2 with steps lw 1.8 \(colour)"
    case .dots: style = "using 1:2 with points pt 7 ps 0.8 \(colour)"
    case .intervals: style = "using 1:2:3:4 with xerrorbars pt 7 ps 0.9 lw 2 \(colour)"
    case .horizontal, .vertical:
      style = "using 1:2 with lines lw 1.2 \(layer.role == .limit ? "dt (12,6) " : "")\(colour)"
    case .bars:
      // The border shows a bar without extent.
      let fill = "fc rgb '\(Self.colour(layer.role))'"
      style = "using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 border \(colour) \(fill)"
    case .stripe, .band:
      style = "using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.22 noborder \(colour)"
    }
    return "\(block) \(style) \(title)"
  }

  private static func arrowClause(_ block: String, _ layer: Layer) -> String {
    "\(block) using 1:2:3:(0) with vectors head filled size graph 0.012,32 fixed "
      + "\(lineColour(layer)) notitle"
  }

  private static func lineColour(_ layer: Layer) -> String {
    // The first two digits are transparency.
    let hexadecimal = colour(layer.role)
    return "lc rgb '\(layer.isFaint ? "#B0" + hexadecimal.dropFirst() : hexadecimal)'"
  }

  /// Colours that the common kinds of colour blindness tell apart (after Okabe and Ito).
  private static func colour(_ role: Layer.Role) -> String {
    switch role {
    case .primary, .candidate: "#0b62a8"
    case .base: "#a3671b"
    case .bad: "#c8401a"
    case .good: "#0d7d5f"
    case .muted: "#a4adb8"
    case .limit: "#1b1f24"
    }
  }

  // MARK: Text

  private static let fewestDigits = 6

  /// Significant digits of a panel's numbers.
  ///
  /// There are more than the fewest where an axis is far from zero, so that they tell a
  /// ten-thousandth of it, which is a tenth of a pixel.
  private static func digits(_ panel: Panel) -> Int {
    var most = fewestDigits
    for range in [panel.x.range, panel.y.range] {
      let span = range.upperBound - range.lowerBound
      var (digits, rest) = (fewestDigits - 1, max(abs(range.lowerBound), abs(range.upperBound)))
      // A number of 64 bits has no more than 15 that are right.
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

  /// A string in single quotes: gnuplot runs and replaces nothing inside of them.
  static func quoted(_ text: String) -> String {
    "'" + text.withoutControls.escaping(["'": "''"]) + "'"
  }

  private static func comment(_ text: String) -> String {
    // A backslash at the end of a line would join the next one to the comment.
    text.withoutControls.escaping(["\\": "/"])
  }
}
