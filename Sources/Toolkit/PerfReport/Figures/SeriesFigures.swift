internal import PerfModel

enum SeriesFigures {
  struct Side {
    let name: String?
    let role: Layer.Role
    let launches: [Launch]
  }

  /// The maximum number of lines; more would be indistinguishable.
  private static let lineLimit = 12

  /// Returns a figure of a series of the launches over time, with the middle launch in front.
  ///
  /// The limit is a budget in the base unit, with its label. The result is nil if no launch has the
  /// series.
  static func figure(
    named name: String, sides: [Side], limit: (value: Double, label: String)? = nil
  ) -> Figure? {
    let series = sides.map { side in
      side.launches.compactMap { launch in launch.series.first { $0.name == name } }
        .filter { !$0.times.isEmpty }
    }
    guard let dimension = series.joined().first?.dimension else { return nil }
    let highest = series.joined().map { $0.values.max() ?? 0 }.max() ?? 0
    let end = series.joined().map { Double($0.times.last ?? 0) }.max() ?? 0
    // A limit far above the values would flatten them, so it is not drawn.
    let shownLimit = limit.flatMap { $0.value <= highest * 3 ? $0 : nil }
    let unit = NumberFormat.readableUnit(for: max(highest, shownLimit?.value ?? 0), dimension)
    let range = 0...max(end / 1e9, 0.001)
    var layers = zip(sides, series).flatMap { self.layers($0, $1, unit: unit, range: range) }
    if let shownLimit {
      layers.append(
        Layer(shownLimit.label, .limit, .horizontal(shownLimit.value / unit.factor)))
    }
    let lowest = series.joined().map { $0.values.min() ?? 0 }.min() ?? 0
    let heights = [lowest, highest, shownLimit?.value ?? 0].map { $0 / unit.factor }
    return Figure(
      id: "series-" + name.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined(),
      title: ["rss": "Resident memory", "cpu": "CPU use"][name] ?? name,
      summary: zip(sides, series).map { summary(of: $1, named: $0.name, dimension) }
        .joined(separator: " "),
      panels: [
        Panel(
          title: "",
          x: Axis(label: "time (s)", range: range),
          y: Axis(
            label: "\(axisTitles[name] ?? name) (\(unit.symbol))",
            range: Ticks.range(around: heights)),
          layers: layers, shape: .half)
      ])
  }

  /// Returns the names of memory and CPU use, then those of other series in order of appearance.
  static func names(in launches: [Launch]) -> [String] {
    (["rss", "cpu"] + launches.flatMap(\.series).map(\.name)).uniqued()
  }

  /// Returns the title of the section with all figures of series.
  static func title(of launches: [Launch]) -> String {
    names(in: launches).count > 2 ? "Memory, CPU and counters" : "Memory and CPU"
  }

  private static func layers(
    _ side: Side, _ lines: [TimeSeries], unit: Unit, range: ClosedRange<Double>
  ) -> [Layer] {
    let points = lines.map { series in
      Downsampling.extremes(
        zip(series.times, series.values).map {
          Layer.Point(Double($0) / 1e9, $1 / unit.factor)
        }, in: range, buckets: 300)
    }
    guard let middle = middle(of: lines) else { return [] }
    let others = points.indices.filter { $0 != middle }.prefix(lineLimit - 1)
    return others.map { Layer(nil, side.role, marks(points[$0]), isFaint: true) }
      + [Layer(side.name ?? "middle launch", side.role, marks(points[middle]))]
  }

  /// A line through a single point would be invisible.
  private static func marks(_ points: [Layer.Point]) -> Layer.Marks {
    points.count == 1 ? .dots(points) : .line(points)
  }

  /// Returns the index of the launch whose peak is the median peak.
  private static func middle(of lines: [TimeSeries]) -> Int? {
    let peaks = lines.enumerated().sorted {
      ($0.element.values.max() ?? 0, $0.offset) < ($1.element.values.max() ?? 0, $1.offset)
    }
    return peaks.isEmpty ? nil : peaks[(peaks.count - 1) / 2].offset
  }

  private static func summary(
    of lines: [TimeSeries], named name: String?, _ dimension: Dimension
  ) -> String {
    // A process that ended before the first reading has none above zero.
    let peaks = lines.compactMap { $0.values.max() }.filter { $0 > 0 }.sorted()
    guard let low = peaks.first, let high = peaks.last else { return "" }
    return (name.map { "\($0): " } ?? "") + "\(Wording.count(lines.count, "launch", "launches")), "
      + "with peaks from \(NumberFormat.human(low, dimension)) to "
      + "\(NumberFormat.human(high, dimension))."
      + (lines.count > lineLimit ? " Drawn are \(lineLimit) of them." : "")
  }

  private static let axisTitles = ["rss": "resident memory", "cpu": "share of one CPU"]
}
