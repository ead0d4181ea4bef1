internal import PerfModel
internal import PerfStatistics

/// Figures of metrics: values by launch, and changes.
enum MetricFigures {
  /// Returns a figure of metrics by launch, with medians, intervals and budgets; nil without values.
  static func byLaunch(_ metrics: [MetricSummary], budgets: [BudgetResult]) -> Figure? {
    let shown = metrics.filter { !$0.values.isEmpty }
    guard !shown.isEmpty else { return nil }
    return Figure(
      id: "by-launch", title: "Metrics by launch",
      summary:
        "Each dot is a launch, in order. The table of metrics has the medians and intervals.",
      panels: shown.map { metric in
        panel(metric, budget: budgets.first { $0.budget.metric == metric.definition.name })
      })
  }

  private static func panel(_ metric: MetricSummary, budget: BudgetResult?) -> Panel {
    let highest = metric.values.map { abs($0) }.max() ?? 0
    let dimension = metric.definition.dimension
    // A limit far above the values would flatten them, so it is not drawn.
    let limit = (budget?.budget.limit.baseValue).flatMap {
      abs($0) <= highest * 3 || highest == 0 ? $0 : nil
    }
    let unit = NumberFormat.readableUnit(for: max(highest, abs(limit ?? 0)), dimension)
    let points = metric.values.enumerated().map {
      Layer.Point(Double($0.offset + 1), $0.element / unit.factor)
    }
    var layers: [Layer] = []
    if let low = metric.low, let high = metric.high, high > low {
      layers.append(
        Layer("95 % CI", .muted, .band(low / unit.factor...high / unit.factor)))
    }
    layers.append(Layer("median", .primary, .horizontal(metric.median / unit.factor)))
    if let limit, let budget {
      let words = "\(budget.budget.comparison.rawValue) \(budget.budget.limit)"
      layers.append(Layer("budget \(words)", .limit, .horizontal(limit / unit.factor)))
    }
    layers.append(Layer(nil, .primary, .dots(points)))
    let heights = points.map(\.y) + (limit.map { [$0 / unit.factor] } ?? [])
    return Panel(
      title: metric.definition.name,
      x: Axis(label: "launch", range: 0.5...Double(metric.values.count) + 0.5),
      y: Axis(label: unit.symbol, range: Ticks.range(around: heights, flatBelow: 0.25)),
      layers: layers, shape: .half)
  }

  /// Returns a forest plot: the changes of metrics with their intervals, zero and the margin.
  ///
  /// Differences in a unit are relative to the base, so that all changes share one axis; metrics
  /// with a base of zero are omitted. The axis shows at most -105 to 105 %. The result is nil if no
  /// metric can be drawn.
  static func forest(_ metrics: [MetricComparison]) -> Figure? {
    let rows = metrics.compactMap(relative)
    guard !rows.isEmpty else { return nil }
    let extent = rows.map { max(abs($0.low), abs($0.high)) }.max() ?? 1
    let margin = rows.compactMap(\.margin).min()
    let edge = min(max(extent * 1.08, (margin ?? 0) * 3, 1), 105)
    let roles: [(Layer.Role, String)] = [
      (.good, "improved"), (.bad, "regressed"), (.muted, "neither"),
    ]
    let layers = roles.compactMap { role, name -> Layer? in
      let marks = rows.enumerated().filter { $0.element.role == role }.map { index, row in
        Layer.Interval(row: index, value: row.value, low: row.low, high: row.high)
      }
      return marks.isEmpty ? nil : Layer(name, role, .intervals(marks))
    }
    let stripe = margin.map { margin in
      Layer(
        "smallest margin, ±\(NumberFormat.significant(margin))%", .muted,
        .stripe(-margin...margin))
    }
    let background = [stripe, Layer(nil, .limit, .vertical(0))].compactMap(\.self)
    return Figure(
      id: "forest", title: "Changes with their intervals",
      summary:
        "Each change with its interval, relative to the base. An arrow means that the interval "
        + "continues beyond the edge. The table of metrics has the numbers.",
      panels: [
        Panel(
          title: "", x: Axis(label: "change relative to the base (%)", range: -edge...edge),
          y: Axis(label: "", categories: rows.map(\.name)), layers: background + layers,
          shape: .half)
      ])
  }

  private struct Row {
    let name: String
    let value: Double
    let low: Double
    let high: Double
    let margin: Double?
    let role: Layer.Role
  }

  /// Returns a change in percent of the base; nil without an interval or a base.
  private static func relative(_ metric: MetricComparison) -> Row? {
    guard let value = metric.estimate, let low = metric.low, let high = metric.high else {
      return nil
    }
    let factor: Double
    switch metric.definition.scale {
    case .ratio: factor = 100
    case .difference:
      guard let base = metric.base, base != 0 else { return nil }
      factor = 100 / abs(base)
    }
    return Row(
      name: metric.definition.name, value: value * factor, low: low * factor, high: high * factor,
      margin: metric.margin.map { $0 * factor }, role: .init(metric.verdict, other: .muted))
  }
}
