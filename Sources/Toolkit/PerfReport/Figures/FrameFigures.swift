internal import PerfModel

/// Figures of the frames of launches.
enum FrameFigures {
  /// Bars of a timeline; more would not be seen apart.
  private static let barCount = 800

  /// Returns the cost of each frame of a launch over time, with the refresh period as its budget.
  ///
  /// - Parameters:
  ///   - iteration: The launch.
  ///   - highest: Milliseconds that the axis must hold, so that two timelines can be compared.
  ///   - side: What the launch is in a comparison, or nil.
  /// - Returns: Nil when the launch made no frames.
  static func timeline(
    of iteration: Iteration, highest: Double? = nil, side: String? = nil
  ) -> Figure? {
    guard let first = iteration.frames.first, let period = period(of: iteration.frames) else {
      return nil
    }
    let origin = min(first.slot, first.began)
    let point = { (frame: FrameRecord) in
      Layer.Point(Double(frame.slot - min(origin, frame.slot)) / 1e9, Double(frame.cost) / 1e6)
    }
    let points = iteration.frames.map(point)
    let missed = iteration.frames.filter { $0.hitch > 0 }.map(point)
    let onTime = iteration.frames.filter { $0.hitch == 0 }.map(point)
    let end = points.last?.x ?? 0
    let top = max(points.map(\.y).max() ?? 0, highest ?? 0, period / 1e6 * 1.5)
    let range = 0...max(end, 0.001)
    let panel = Panel(
      title: "",
      x: Axis(label: "time (s)", range: range),
      y: Axis(label: "cost of a frame (ms)", range: Ticks.range(around: [top])),
      layers: [
        Layer(
          "in time", .primary,
          .impulses(Downsampling.maxima(onTime, in: range, buckets: barCount))),
        Layer(
          "missed its refresh", .bad,
          .impulses(Downsampling.maxima(missed, in: range, buckets: barCount))),
        Layer("budget \(milliseconds(period))", .limit, .horizontal(period / 1e6)),
      ])
    let hitch = iteration.frames.reduce(0.0) { $0 + Double($1.hitch) }
    return Figure(
      id: "frames-\(side ?? String(iteration.index))",
      title: "Frames of launch \(iteration.index)" + (side.map { " of the \($0)" } ?? ""),
      summary: "\(Wording.count(iteration.frames.count, "frame", "frames")) in "
        + "\(NumberFormat.significant(end)) s; \(missed.count) missed their refresh of "
        + "\(milliseconds(period)), \(NumberFormat.human(hitch, .time)) of hitches; the dearest "
        + "cost \(NumberFormat.significant(points.map(\.y).max() ?? 0)) ms.",
      panels: [panel])
  }

  /// Returns the distribution of frame costs over all launches of one or two runs.
  ///
  /// - Parameter sides: Name, role and launches of each.
  /// - Returns: Nil when there are no frames.
  static func distribution(
    _ sides: [(name: String?, role: Layer.Role, iterations: [Iteration])]
  ) -> Figure? {
    let costs = sides.map { side in
      side.iterations.flatMap { $0.frames.map { Double($0.cost) / 1e6 } }.sorted()
    }
    guard costs.contains(where: { !$0.isEmpty }) else { return nil }
    let period = sides.lazy.flatMap { $0.iterations.flatMap(\.frames) }.first
      .flatMap { self.period(of: [$0]) }
    let limit = period.map { Layer("budget \(milliseconds($0))", .limit, .vertical($0 / 1e6)) }
    // The last half percent would squeeze the rest into a few pixels.
    let shown = costs.compactMap { Histogram.quantile($0, 0.995) }.max() ?? 1
    let range = Ticks.range(around: [max(shown, (period ?? 0) / 1e6 * 1.25)])
    var histogram: [Layer] = []
    var cumulative: [Layer] = []
    var highest = 0.0
    for (side, values) in zip(sides, costs) where !values.isEmpty {
      let bars = Histogram.bars(values, in: range, count: 60)
      highest = max(highest, bars.map(\.y).max() ?? 0)
      let width = (range.upperBound - range.lowerBound) / 60
      histogram.append(Layer(side.name, side.role, .boxes(bars, width: width)))
      cumulative.append(Layer(side.name, side.role, .steps(Histogram.cumulative(values))))
    }
    return Figure(
      id: "distribution", title: "Cost of frames",
      summary: zip(sides, costs).filter { !$1.isEmpty }.map { side, values in
        summary(of: values, named: side.name)
      }.joined(separator: " "),
      panels: [
        Panel(
          title: "How often", x: Axis(label: "cost of a frame (ms)", range: range),
          y: Axis(label: "share of frames (%)", range: Ticks.range(around: [highest])),
          layers: histogram + [limit].compactMap { $0 }, shape: .half),
        Panel(
          title: "Up to which cost", x: Axis(label: "cost of a frame (ms)", range: range),
          y: Axis(label: "frames that cost at most this (%)", range: 0...100),
          layers: cumulative + [limit].compactMap { $0 }, shape: .half),
      ])
  }

  /// The refresh period in nanoseconds: a frame's deadline is one period after its slot.
  private static func period(of frames: [FrameRecord]) -> Double? {
    frames.first.map { Double(Int64($0.cost) - $0.overrun) }.flatMap { $0 > 0 ? $0 : nil }
  }

  private static func milliseconds(_ period: Double) -> String {
    "\(NumberFormat.significant(period / 1e6)) ms"
  }

  private static func summary(of values: [Double], named name: String?) -> String {
    let quantiles = [0.5, 0.9, 0.99].map { probability in
      "p\(Int(probability * 100)) "
        + "\(NumberFormat.significant(Histogram.quantile(values, probability) ?? 0)) ms"
    }
    return (name.map { "\($0): " } ?? "")
      + "\(Wording.count(values.count, "frame", "frames")), \(quantiles.joined(separator: ", ")), "
      + "dearest \(NumberFormat.significant(values.last ?? 0)) ms."
  }
}
