internal import PerfModel
internal import PerfStatistics

extension RunDocument {
  /// Returns a figure of the run; a timeline is of the launch with the median hitch time.
  ///
  /// - Throws: `ReportError.nothingToDraw` if the run has no data for the chart.
  public func figure(_ kind: ChartKind) throws(ReportError) -> Figure {
    let drawn = try kind.drawn(by: drawing)
    return drawn.titled("\(run.subject): \(drawn.title.lowercasedFirst)")
  }

  /// Returns a figure of the run, or nil; and the reason why there is none.
  private func drawing(_ kind: ChartKind) -> (Figure?, String) {
    switch kind {
    case .frames:
      (
        run.middleLaunch.flatMap { FrameFigures.timeline(of: $0) },
        "no measured launch of \(run.id) has frames"
      )
    case .distribution:
      (FrameFigures.distribution([(nil, .primary, run.drawn)]), "\(run.id) has no frames")
    case .memory: (series("rss"), "\(run.id) has no series of memory")
    case .cpu: (series("cpu"), "\(run.id) has no series of CPU use")
    case .metrics:
      (
        MetricFigures.byLaunch(
          budgeted.isEmpty ? Array(metrics.prefix(6)) : budgeted, budgets: budgets),
        "\(run.id) has no values"
      )
    case .comparison, .ladder: (nil, "it needs two runs")
    case .history: (nil, "it needs all runs of a scenario")
    }
  }

  var budgeted: [MetricSummary] {
    let names = Set(budgets.map(\.budget.metric))
    return metrics.filter { names.contains($0.definition.name) }
  }

  func series(_ name: String) -> Figure? {
    SeriesFigures.figure(
      named: name, sides: [.init(name: nil, role: .primary, launches: run.drawn)],
      limit: name == "rss" ? memoryLimit : nil)
  }
}

extension ComparisonDocument {
  /// Returns a figure of both sides; timelines and metrics by launch need a single run.
  ///
  /// - Throws: `ReportError.nothingToDraw` if the comparison has no data for the chart.
  public func figure(_ kind: ChartKind) throws(ReportError) -> Figure {
    let drawn = try kind.drawn(by: drawing)
    return drawn.titled("\(title): \(drawn.title.lowercasedFirst)")
  }

  /// Returns a figure of both sides, or nil; and the reason why there is none.
  private func drawing(_ kind: ChartKind) -> (Figure?, String) {
    let noRuns = "the two runs are not available"
    return switch kind {
    case .comparison:
      (
        MetricFigures.forest(comparison.metrics.filter { $0.definition.direction != .neutral }),
        "no metric has an interval"
      )
    case .distribution: (distributionFigure, noRuns)
    case .memory: (seriesFigure("rss"), noRuns)
    case .cpu: (seriesFigure("cpu"), noRuns)
    case .frames, .metrics: (nil, "it shows a single run; pass only one")
    case .ladder, .history: (nil, "it shows consecutive runs; pass them without --against")
    }
  }
}

extension ChartKind {
  /// Returns the figure of this kind that a document draws, or throws the reason and the kinds with data.
  fileprivate func drawn(
    by drawing: (ChartKind) -> (Figure?, String)
  ) throws(ReportError) -> Figure {
    let (figure, reason) = drawing(self)
    guard let figure else {
      throw .nothingToDraw(
        chart: rawValue, reason: reason, others: Self.allCases.filter { drawing($0).0 != nil })
    }
    return figure
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

extension String {
  /// The text with its first letter in lower case, unless it begins with an abbreviation.
  var lowercasedFirst: String {
    dropFirst().first?.isUppercase == true ? self : prefix(1).lowercased() + dropFirst()
  }
}
