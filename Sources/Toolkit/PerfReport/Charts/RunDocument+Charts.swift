internal import PerfModel
internal import PerfStatistics

extension RunDocument {
  /// Returns a figure of the run.
  ///
  /// - Parameters:
  ///   - kind: The kind of chart.
  ///   - launch: The launch of a timeline; nil for the launch with the median hitch time.
  /// - Returns: The figure; `SVGFigure` or a `ChartRenderer` draws it.
  /// - Throws: `ReportError.nothingToDraw` if the run has no data for the chart.
  public func figure(_ kind: ChartKind, launch: Int? = nil) throws(ReportError) -> Figure {
    let drawn: Figure?
    let reason: String
    switch kind {
    case .frames:
      drawn = timelineLaunch(launch).flatMap { FrameFigures.timeline(of: $0) }
      reason = "no measured launch\(launch.map { " \($0)" } ?? "") of \(run.id) has frames"
    case .distribution:
      drawn = FrameFigures.distribution([(nil, .primary, run.drawn)])
      reason = "\(run.id) has no frames"
    case .memory:
      drawn = series("rss")
      reason = "\(run.id) has no series of memory"
    case .cpu:
      drawn = series("cpu")
      reason = "\(run.id) has no series of CPU use"
    case .metrics:
      let budgeted = Set(budgets.map(\.budget.metric))
      let judged = metrics.filter { budgeted.contains($0.definition.name) }
      drawn = MetricFigures.byLaunch(
        judged.isEmpty ? Array(metrics.prefix(6)) : judged, budgets: budgets)
      reason = "\(run.id) has no values"
    case .comparison, .ladder:
      drawn = nil
      reason = "it needs two runs"
    case .history:
      drawn = nil
      reason = "it needs all runs of a scenario"
    }
    guard let drawn else { throw .nothingToDraw(chart: kind.rawValue, reason: reason) }
    return drawn.titled("\(run.subject): \(drawn.title.lowercasedFirst)")
  }

  private func timelineLaunch(_ index: Int?) -> Launch? {
    guard let index else { return run.middleLaunch }
    return run.drawn.first { $0.index == index }
  }

  private func series(_ name: String) -> Figure? {
    SeriesFigures.figure(
      named: name, sides: [.init(name: nil, role: .primary, launches: run.drawn)],
      limit: name == "rss" ? memoryLimit : nil)
  }
}

extension ComparisonDocument {
  /// Returns a figure of both sides.
  ///
  /// - Parameter kind: The kind of chart; timelines and metrics by launch need a single run.
  /// - Returns: The figure.
  /// - Throws: `ReportError.nothingToDraw` if the comparison has no data for the chart.
  public func figure(_ kind: ChartKind) throws(ReportError) -> Figure {
    let drawn: Figure?
    var reason = "the two runs are not available"
    switch kind {
    case .comparison:
      drawn = MetricFigures.forest(
        comparison.metrics.filter { $0.definition.direction != .neutral })
      reason = "no metric has an interval"
    case .distribution: drawn = distributionFigure
    case .memory: drawn = seriesFigure("rss")
    case .cpu: drawn = seriesFigure("cpu")
    case .frames, .metrics:
      drawn = nil
      reason = "it shows a single run; pass only one"
    case .ladder, .history:
      drawn = nil
      reason = "it shows consecutive runs; pass them without --against"
    }
    guard let drawn else { throw .nothingToDraw(chart: kind.rawValue, reason: reason) }
    return drawn.titled("\(title): \(drawn.title.lowercasedFirst)")
  }
}

extension Run {
  /// The measured launch with the median hitch time; nil without frames.
  var middleLaunch: Launch? {
    let sorted = drawn.filter { !$0.frames.isEmpty }
      .sorted { ($0.hitchTime, $0.index) < ($1.hitchTime, $1.index) }
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }
}

extension Figure {
  /// Returns the figure with another heading.
  func titled(_ title: String) -> Figure {
    Figure(id: id, title: title, summary: summary, panels: panels)
  }
}

extension String {
  /// The text with its first letter in lower case, unless it begins with an abbreviation.
  var lowercasedFirst: String {
    dropFirst().first?.isUppercase == true ? self : prefix(1).lowercased() + dropFirst()
  }
}
