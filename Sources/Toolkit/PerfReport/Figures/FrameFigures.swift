internal import PerfModel
internal import PerfStatistics

enum FrameFigures {
  /// The maximum number of bars of a timeline; more would be indistinguishable.
  private static let barCount = 800

  /// Returns a timeline of the frame costs of a launch, with the refresh period as budget; nil without
  /// frames.
  static func timeline(of launch: Launch) -> Figure? {
    guard let first = launch.frames.first, let period = period(of: launch.frames) else {
      return nil
    }
    let origin = min(first.slot, first.began)
    func point(_ frame: FrameRecord) -> Layer.Point {
      Layer.Point(Double(frame.slot - min(origin, frame.slot)) / 1e9, Double(frame.cost) / 1e6)
    }
    func impulses(_ points: [Layer.Point]) -> Layer.Marks {
      .impulses(Downsampling.maxima(points, in: range, buckets: barCount))
    }
    let points = launch.frames.map(point)
    let missed = launch.frames.filter { $0.hitch > 0 }.map(point)
    let onTime = launch.frames.filter { $0.hitch == 0 }.map(point)
    let end = points.last?.x ?? 0
    let costs = launch.frames.map { Double($0.cost) / 1e6 }.sorted()
    let heights = Ticks.range(around: [top(of: costs, period: period / 1e6) ?? 0])
    let range = 0...max(end, 0.001)
    let beyond = points.filter { $0.y > heights.upperBound }
    let panel = Panel(
      title: "",
      x: Axis(label: "time (s)", range: range),
      y: Axis(label: "cost of a frame (ms)", range: heights),
      layers: [
        Layer("on time", .primary, impulses(onTime)),
        Layer("missed refresh", .bad, impulses(missed)),
        Layer("budget \(milliseconds(period))", .limit, .horizontal(period / 1e6)),
      ] + marks(of: beyond, at: heights.upperBound, in: range))
    let hitch = launch.frames.reduce(0.0) { $0 + Double($1.hitch) }
    return Figure(
      id: "frames-\(launch.index)", title: "Frames of launch \(launch.index)",
      summary: "\(Wording.count(launch.frames.count, "frame")) in "
        + "\(NumberFormat.significant(end)) s; \(missed.count) missed their refresh (period "
        + "\(milliseconds(period))), with \(NumberFormat.human(hitch, .time)) of hitches; the longest "
        + "frame took \(NumberFormat.significant(points.map(\.y).max() ?? 0)) ms.",
      panels: [panel])
  }

  /// Returns the largest cost, limited to six periods or 1.2 times the 90 % quantile, and at least
  /// 1.25 periods.
  ///
  /// A few frames with a hundredfold cost would compress the others and the budget into a line.
  private static func top(of sorted: [Double], period: Double) -> Double? {
    guard let last = sorted.last else { return nil }
    let most = Quantiles.ofSorted(sorted, 0.9)
    return max(min(last, max(6 * period, 1.2 * most)), 1.25 * period)
  }

  /// Returns dots at the upper edge for the frames beyond it.
  private static func marks(
    of beyond: [Layer.Point], at edge: Double, in range: ClosedRange<Double>
  ) -> [Layer] {
    guard let highest = beyond.map(\.y).max() else { return [] }
    let dots = Downsampling.maxima(beyond, in: range, buckets: barCount / 4)
    return [
      Layer(
        "beyond the axis, up to \(NumberFormat.significant(highest)) ms", .bad,
        .dots(dots.map { Layer.Point($0.x, edge) }))
    ]
  }

  /// Returns the distribution of the frame costs of one or two runs; nil without frames.
  static func distribution(
    _ sides: [(name: String?, role: Layer.Role, launches: [Launch])]
  ) -> Figure? {
    let costs = sides.map { side in
      side.launches.flatMap { $0.frames.map { Double($0.cost) / 1e6 } }.sorted()
    }
    let drawn = zip(sides, costs).filter { !$1.isEmpty }
    guard !drawn.isEmpty else { return nil }
    let period = sides.lazy.flatMap(\.launches).compactMap { self.period(of: $0.frames) }.first
    let limit = period.map { Layer("budget \(milliseconds($0))", .limit, .vertical($0 / 1e6)) }
    let tops = costs.compactMap { top(of: $0, period: (period ?? 0) / 1e6) }
    let range = Ticks.range(around: tops)
    let width = (range.upperBound - range.lowerBound) / 60
    let bars = drawn.map { Histogram.bars($1, in: range, count: 60) }
    let highest = bars.joined().map(\.y).max() ?? 0
    let histogram = zip(drawn, bars).map { side, bars in
      Layer(side.0.name, side.0.role, .boxes(bars, width: width))
    }
    let cumulative = drawn.map { side, values in
      Layer(
        side.name, side.role, .steps(Histogram.cumulative(values).filter { range.contains($0.x) }))
    }
    return Figure(
      id: "distribution", title: "Cost of frames",
      summary: drawn.map { summary(of: $1, named: $0.name) }.joined(separator: " ")
        + " The last bar includes frames beyond the axis.",
      panels: [
        Panel(
          title: "Distribution",
          x: Axis(label: "cost of a frame (ms)", range: range),
          y: Axis(label: "share of frames (%)", range: Ticks.range(around: [highest])),
          layers: histogram + [limit].compactMap { $0 }, shape: .half),
        Panel(
          title: "Cumulative distribution", x: Axis(label: "cost of a frame (ms)", range: range),
          y: Axis(label: "frames with at most this cost (%)", range: 0...100),
          layers: cumulative + [limit].compactMap { $0 }, shape: .half),
      ])
  }

  /// Returns the refresh period in nanoseconds: a frame's deadline is one period after its slot.
  private static func period(of frames: [FrameRecord]) -> Double? {
    frames.first.map { Double($0.cost) - Double($0.overrun) }.flatMap { $0 > 0 ? $0 : nil }
  }

  private static func milliseconds(_ period: Double) -> String {
    "\(NumberFormat.significant(period / 1e6)) ms"
  }

  private static func summary(of values: [Double], named name: String?) -> String {
    let quantiles = [0.5, 0.9, 0.99].map { probability in
      let value = (try? Quantiles.quantile(probability, of: values)) ?? 0
      return "p\(Int(probability * 100)) \(NumberFormat.significant(value)) ms"
    }
    return (name.map { "\($0): " } ?? "")
      + "\(Wording.count(values.count, "frame")), \(quantiles.joined(separator: ", ")), "
      + "max \(NumberFormat.significant(values.last ?? 0)) ms."
  }
}
