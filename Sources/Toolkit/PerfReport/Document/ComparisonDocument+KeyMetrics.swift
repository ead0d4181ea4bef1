internal import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// The number of metrics that a page shows beside the verdict; more if more gate and did change.
  private static let keyMetricCount = 5

  /// The metrics that a page shows beside the verdict; counted work has a table of its own there.
  var keyMetrics: [MetricComparison] {
    let gating = comparison.metrics.count { $0.isGating && $0.verdict != .equivalent }
    return Array(Self.ranked(comparison.metrics).prefix(max(Self.keyMetricCount, gating)))
  }

  /// All metrics, counted work included, the most important ones first.
  var rankedMetrics: [MetricComparison] {
    Self.ranked((comparison.work?.metrics ?? []) + comparison.metrics)
  }

  /// Returns the gating metrics by their verdicts, the worst first, then the others that changed, the
  /// largest change first, then the rest.
  private static func ranked(_ metrics: [MetricComparison]) -> [MetricComparison] {
    let shown = metrics.filter { $0.isGating || !$0.definition.isWindow }
      .map { (rank: rank(of: $0), change: change(of: $0), metric: $0) }
    // Equal ranks and changes keep the order of the catalogue.
    return shown.sorted { ($0.rank, $1.change) < ($1.rank, $0.change) }.map(\.metric)
  }

  private static func rank(of metric: MetricComparison) -> Int {
    switch metric.verdict {
    case .void, .regressed: metric.isGating ? 0 : 4
    case .inconclusive where metric.isGating: 1
    case .improved: metric.isGating ? 2 : 5
    case .equivalent where metric.isGating: 3
    case .inconclusive, .equivalent: metric.definition.direction == .neutral ? 7 : 6
    }
  }

  /// Returns the part of the greater value by which a metric changed that does not gate; otherwise 0.
  private static func change(of metric: MetricComparison) -> Double {
    guard !metric.isGating, metric.verdict == .regressed || metric.verdict == .improved,
      let base = metric.base, let candidate = metric.candidate
    else { return 0 }
    let most = max(base.magnitude, candidate.magnitude)
    return most > 0 ? (candidate - base).magnitude / most : 0
  }

  /// The rows of the key metrics in the table of all metrics; nil without metrics.
  var keyMetricTable: Table? {
    let names = keyMetrics.map(\.definition.name)
    guard let whole = metricTable, !names.isEmpty else { return nil }
    let groups = whole.groups.map { group in
      Table.Group(
        title: group.title,
        rows: names.compactMap { name in group.rows.first { $0[0].text == name } })
    }
    return Table(
      id: "key-metrics", title: "", columns: whole.columns, groups: groups, caption: whole.caption)
  }

  /// The rows of all other metrics, by group.
  var otherMetricTables: [Table] {
    guard let whole = metricTable else { return [] }
    let key = Set(keyMetrics.map(\.definition.name))
    let rows = whole.rows.filter { !key.contains($0[0].text) }
    return MetricGroup.grouped(rows, name: { $0[0].text }, row: { $0 })
      .enumerated().map { index, group in
        Table(
          id: "metrics-\(index)", title: group.title ?? "", columns: whole.columns, rows: group.rows
        )
      }
  }
}
