internal import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// The number of metrics that are shown beside the verdict; more if more gate and did change.
  private static let keyMetricCount = 5

  /// The metrics that decide: the gating ones by their verdicts, then the others that changed most.
  var keyMetrics: [MetricComparison] {
    func severity(_ metric: MetricComparison) -> Int {
      switch metric.verdict {
      case .void, .regressed: 0
      case .inconclusive: 1
      case .improved: 2
      case .equivalent: 3
      }
    }
    func change(_ metric: MetricComparison) -> Double {
      guard let base = metric.base, let candidate = metric.candidate,
        max(base.magnitude, candidate.magnitude) > 0
      else { return 0 }
      return (candidate - base).magnitude / max(base.magnitude, candidate.magnitude)
    }
    // Equal changes keep the order of the catalogue.
    let order = { (first: MetricComparison, second: MetricComparison) in
      (severity(first), change(second)) < (severity(second), change(first))
    }
    let gating = comparison.metrics.filter(\.isGating).sorted(by: order)
    let others = comparison.metrics.filter { metric in
      !metric.isGating && !metric.definition.isWindow
        && (metric.verdict == .regressed || metric.verdict == .improved)
    }.sorted(by: order)
    let most = max(Self.keyMetricCount, gating.count { $0.verdict != .equivalent })
    return Array((gating + others).prefix(most))
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
