extension GnuplotScript {
  /// Returns the numbers of a layer, one row per mark.
  static func data(_ marks: Layer.Marks, _ panel: Panel) -> [[Double]] {
    let (x, y) = (panel.x.range, panel.y.range)
    switch marks {
    case .impulses(let points), .line(let points), .steps(let points), .dots(let points):
      return points.map { [$0.x, $0.y] }
    case .boxes(let points, let width):
      return points.map { [$0.x + width / 2, $0.y, width] }
    case .intervals(let intervals):
      // gnuplot draws neither an estimate nor a limit beyond the edge, so both are moved just
      // beyond it.
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

  /// Returns an arrow (start and length) at each edge beyond which an interval continues.
  static func arrows(_ marks: Layer.Marks, _ range: ClosedRange<Double>) -> [[Double]] {
    guard case .intervals(let intervals) = marks else { return [] }
    // The head of the arrow has a fixed size and hides this short line.
    let length = 0.005 * (range.upperBound - range.lowerBound)
    return intervals.flatMap { interval -> [[Double]] in
      let (place, continues) = (Double(interval.row), interval.continues(beyond: range))
      var arrows: [[Double]] = []
      if continues.left { arrows.append([range.lowerBound + length, place, -length]) }
      if continues.right { arrows.append([range.upperBound - length, place, length]) }
      return arrows
    }
  }

  private static func rectangle(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> [Double] {
    [
      (x.lowerBound + x.upperBound) / 2, (y.lowerBound + y.upperBound) / 2, x.lowerBound,
      x.upperBound, y.lowerBound, y.upperBound,
    ]
  }

  static func clause(_ block: String, _ layer: Layer) -> String {
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
      // The border makes a bar without extent visible.
      let fill = "fc rgb '\(Self.colour(layer.role))'"
      style = "using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 border \(colour) \(fill)"
    case .stripe, .band:
      style = "using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.22 noborder \(colour)"
    }
    return "\(block) \(style) \(title)"
  }

  static func arrowClause(_ block: String, _ layer: Layer) -> String {
    "\(block) using 1:2:3:(0) with vectors head filled size graph 0.012,32 fixed "
      + "\(lineColour(layer)) notitle"
  }

  private static func lineColour(_ layer: Layer) -> String {
    // The first two digits are the transparency.
    let hexadecimal = colour(layer.role)
    return "lc rgb '\(layer.isFaint ? "#B0" + hexadecimal.dropFirst() : hexadecimal)'"
  }

  /// Returns a colour from a palette for colour-blind readers (after Okabe and Ito).
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
}
