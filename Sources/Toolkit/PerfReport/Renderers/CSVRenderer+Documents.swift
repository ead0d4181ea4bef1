internal import PerfModel
internal import PerfStatistics

extension CSVRenderer {
  /// Returns one row for each launch and metric, values in base units with all their digits.
  public func render(_ document: RunDocument) -> String {
    let run = document.run
    let definitions = Dictionary(
      run.definitions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let rows = run.iterations.flatMap { iteration -> [[String]] in
      let launch = [
        run.id, run.scenario, run.variant, "\(iteration.index)",
        iteration.isWarmup ? "true" : "false", iteration.status.description,
      ]
      return iteration.metrics.sorted { $0.key < $1.key }.map { name, value in
        launch + [name, definitions[name]?.baseUnit.symbol ?? "", Self.number(value)]
      }
    }
    return render(
      header: [
        "run", "scenario", "variant", "launch", "warmup", "status", "metric", "unit", "value",
      ], rows: rows)
  }

  /// Returns one row for each metric, values in base units.
  public func render(_ document: ComparisonDocument) -> String {
    let rows = document.comparison.metrics.map { metric -> [String] in
      [
        metric.definition.name, metric.definition.baseUnit.symbol,
        metric.definition.scale.rawValue, Self.number(metric.base), Self.number(metric.candidate),
        Self.number(metric.ratio), Self.number(metric.estimate), Self.number(metric.low),
        Self.number(metric.high), Self.number(metric.p), "\(metric.n.base)",
        "\(metric.n.candidate)", Self.number(metric.margin), metric.isGating ? "true" : "false",
        metric.verdict.rawValue,
      ]
    }
    return render(
      header: [
        "metric", "unit", "scale", "base", "candidate", "ratio", "estimate", "low", "high", "p",
        "n_base", "n_candidate", "margin", "gating", "verdict",
      ], rows: rows)
  }

  /// Returns one row for each commit, values in base units.
  public func render(_ document: HistoryDocument) -> String {
    let history = document.history
    let rows = history.points.enumerated().map { index, point -> [String] in
      let change = history.changes.first { $0.index == index }
      return [
        point.commit ?? "", point.isDirty ? "true" : "false", point.started.description,
        point.runs.joined(separator: " "), Self.number(point.value), Self.number(point.low),
        Self.number(point.high), history.definition.baseUnit.symbol,
        Self.number(change?.size.value), Self.number(change?.p),
      ]
    }
    return render(
      header: [
        "commit", "dirty", "started", "runs", "value", "low", "high", "unit", "change", "p",
      ], rows: rows)
  }

  /// A number as it reads back exactly, whole ones without a point; nothing for what is missing.
  private static func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }
}
