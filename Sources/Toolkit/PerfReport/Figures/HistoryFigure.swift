internal import PerfModel
internal import PerfStatistics

extension HistoryDocument {
  /// The figure of the series, with spreads, medians of the stretches and a line per change.
  public var figure: Figure {
    let points = history.points
    let highest = points.map { max(abs($0.value), abs($0.high ?? 0)) }.reduce(0, max)
    let unit = NumberFormat.readableUnit(for: highest, history.definition.dimension)
    func point(_ index: Int, _ value: Double) -> Layer.Point {
      Layer.Point(Double(index + 1), value / unit.factor)
    }
    let spreads = points.enumerated().compactMap { index, place -> Layer? in
      guard let low = place.low, let high = place.high, high > low else { return nil }
      return Layer(nil, .muted, .line([point(index, low), point(index, high)]), isFaint: true)
    }
    let clean = points.contains(where: \.isDirty) ? "committed" : nil
    let layers =
      spreads + stretches(point) + changeLines
      + [
        Layer(clean, .primary, .dots(dots(isDirty: false, point))),
        Layer("with uncommitted changes", .muted, .dots(dots(isDirty: true, point))),
      ].filter { $0.marks != .dots([]) }
    let heights = points.flatMap { [$0.low, $0.value, $0.high].compactMap(\.self) }
      .map { $0 / unit.factor }
    return Figure(
      id: "history", title: title, summary: sentence,
      panels: [
        Panel(
          title: history.definition.name,
          x: Axis(label: axisLabel, range: 0.5...Double(points.count) + 0.5),
          y: Axis(label: unit.symbol, range: Ticks.range(around: heights, flatBelow: 0.5)),
          layers: layers)
      ])
  }

  private var axisLabel: String {
    guard let first = history.points.first, let last = history.points.last else { return "" }
    let kind = isInCommitOrder ? "commits" : "runs by time"
    return first == last ? kind : "\(kind), \(name(first)) to \(name(last))"
  }

  private func dots(
    isDirty: Bool, _ point: (Int, Double) -> Layer.Point
  ) -> [Layer.Point] {
    history.points.enumerated().filter { $0.element.isDirty == isDirty }
      .map { point($0.offset, $0.element.value) }
  }

  /// Returns a line at the median of each stretch between changes.
  private func stretches(_ point: (Int, Double) -> Layer.Point) -> [Layer] {
    guard let first = history.changes.first else { return [] }
    let starts = [0] + history.changes.map(\.index)
    let ends = history.changes.map { $0.index - 1 } + [history.points.count - 1]
    let medians = [first.before] + history.changes.map(\.after)
    return zip(zip(starts, ends), medians).enumerated().map { index, stretch in
      let ((start, end), median) = stretch
      return Layer(
        index == 0 ? "median" : nil, .base, .line([point(start, median), point(end, median)]))
    }
  }

  private var changeLines: [Layer] {
    history.changes.map { change in
      Layer(
        "\(self.change(change)) at \(name(history.points[change.index]))",
        .init(change.verdict, other: .limit), .vertical(Double(change.index) + 0.5))
    }
  }
}
