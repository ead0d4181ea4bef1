internal import PerfModel
internal import PerfStatistics

extension RunDocument {
  /// The budgets with their measured values; nil without budgets.
  var budgetTable: Table? {
    guard !budgets.isEmpty else { return nil }
    // A note shared by several budgets is shown once, below the table.
    let shared = Dictionary(grouping: budgets.map(\.note)) { $0 }
      .filter { !$0.key.isEmpty && $0.value.count > 1 }.keys.sorted()
    let rows = budgets.map { result -> [Table.Cell] in
      let measured = Wording.measured(result)
      return [
        .init(result.verdict.rawValue, Tone(result.verdict)),
        .init(result.budget.description),
        .init(measured.value, .strong),
        .init(measured.interval),
        .init(shared.contains(result.note) ? "" : result.note, .muted),
      ]
    }
    return Table(
      id: "budgets", title: "Budgets",
      columns: [
        .init("verdict"), .init("budget"), .init("measured", .trailing),
        .init("95 % CI", .trailing), .init("note", isDetail: true),
      ],
      rows: rows, caption: shared.map { $0 + "." }.joined(separator: " "))
  }

  /// The metrics with values; nil if there are none.
  var metricTable: Table? {
    let shown = metrics.filter { !$0.values.isEmpty && !$0.definition.isWindow }
    guard !shown.isEmpty else { return nil }
    let groups = MetricGroup.grouped(shown, name: \.definition.name) { metric -> [Table.Cell] in
      let dimension = metric.definition.dimension
      return [
        .init(metric.definition.name),
        .init(Wording.value(metric.median, dimension), .strong),
        .init(Wording.interval(metric.low, metric.high, around: metric.median, dimension)),
        .init("\(metric.values.count)", .muted),
      ]
    }
    return Table(
      id: "metrics", title: "Metrics",
      columns: [
        .init("metric"), .init("median", .trailing), .init("95 % CI", .trailing),
        .init("n", .trailing),
      ],
      groups: groups,
      caption: shown.contains { $0.low == nil && $0.high == nil }
        ? "-: a 95 % confidence interval (CI) needs six launches." : "")
  }

  /// One table per group of metrics, with the launches as dots; nil if no metric has values.
  var metricTables: [Table]? {
    let shown = metrics.filter { !$0.values.isEmpty && !$0.definition.isWindow }
    guard !shown.isEmpty else { return nil }
    let groups = MetricGroup.grouped(shown, name: \.definition.name) { metric -> [Table.Cell] in
      let dimension = metric.definition.dimension
      return [
        .init(metric.definition.name),
        .init(Wording.value(metric.median, dimension), .strong),
        .init(Wording.interval(metric.low, metric.high, around: metric.median, dimension)),
        .init("\(metric.values.count)", .muted), .init(strip: metric.values),
      ]
    }
    return groups.enumerated().map { index, group in
      Table(
        id: "metrics-\(index)", title: group.title ?? "",
        columns: [
          .init("metric"), .init("median", .trailing), .init("95 % CI", .trailing),
          .init("n", .trailing), .init("launches"),
        ],
        rows: group.rows)
    }
  }

  /// The launches that did not complete; nil if all did.
  var failureTable: Table? {
    guard !failures.isEmpty else { return nil }
    return Table(
      id: "failures", title: "Launches that did not complete",
      columns: [.init("launch", .trailing), .init("start", .trailing), .init("end")],
      rows: failures.map { launch in
        [
          .init("\(launch.index)"),
          .init(NumberFormat.human(Double(launch.offset), .time)),
          .init(launch.status.description, .bad),
        ]
      })
  }

  /// One row per launch, with the most important metrics.
  var launchTable: Table {
    let names = Self.launchColumns.filter { name in
      run.launches.contains { $0.metrics[name] != nil }
    }
    let dimensions = Dictionary(
      run.definitions.map { ($0.name, $0.dimension) }, uniquingKeysWith: { first, _ in first })
    let rows = run.launches.map { launch -> [Table.Cell] in
      let isCompleted = launch.status == .completed
      let status = launch.isWarmup && isCompleted ? "warm-up" : launch.status.description
      let values = names.map { name -> Table.Cell in
        .init(
          Wording.value(launch.metrics[name], dimensions[name] ?? .count),
          launch.isWarmup ? .muted : .plain)
      }
      return [
        .init("\(launch.index)", launch.isWarmup ? .muted : .plain),
        .init(status, isCompleted ? .muted : .bad),
        .init(NumberFormat.human(Double(launch.offset), .time), .muted),
      ] + values
    }
    return Table(
      id: "iterations", title: "Launches",
      columns: [.init("launch", .trailing), .init("status"), .init("start", .trailing)]
        + names.map { .init($0, .trailing) },
      rows: rows)
  }

  private static let launchColumns = [
    MetricName.wall, MetricName.cpuTotal, MetricName.rssPeak, MetricName.frameHitchTimeRatio,
    MetricName.percentile(99, of: MetricName.frameOverrun),
    MetricName.percentile(99, of: MetricName.frameCost), MetricName.frameDropped,
    MetricName.startupFullDisplay, MetricName.cacheHitRatio,
  ]

  /// The facts about the machine and the build.
  var environmentTable: Table {
    let known = Environment.Key.allCases.map(\.rawValue)
    let others = run.environment.facts.keys.filter { !known.contains($0) }.sorted()
    return Table(
      id: "environment", title: "Environment", columns: [.init("fact"), .init("value")],
      rows: (known + others).compactMap { key in
        run.environment.facts[key].flatMap { $0.isEmpty ? nil : [.init(key, .muted), .init($0)] }
      })
  }
}
