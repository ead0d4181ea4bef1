internal import PerfModel
internal import PerfStatistics

extension RunDocument {
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

  var metricTable: Table? {
    guard !shownMetrics.isEmpty else { return nil }
    return Table(
      id: "metrics", title: "Metrics", columns: Self.metricColumns,
      groups: MetricGroup.grouped(shownMetrics, name: \.definition.name, row: Self.cells),
      caption: shownMetrics.contains { $0.low == nil && $0.high == nil }
        ? "-: a 95 % confidence interval (CI) needs six launches." : "")
  }

  /// One table per group of metrics, with the launches as dots.
  var metricTables: [Table] {
    MetricGroup.grouped(
      shownMetrics, name: \.definition.name, row: Self.cellsWithLaunches
    )
    .enumerated().map { index, group in
      Table(
        id: "metrics-\(index)", title: group.title ?? "",
        columns: Self.metricColumns + [.init("launches")], rows: group.rows)
    }
  }

  /// The maximum number of metrics that a page shows beside the verdict.
  private static let keyMetricCount = 5

  var keyMetrics: [MetricSummary] { Array(rankedMetrics.prefix(Self.keyMetricCount)) }

  /// All metrics, the most important ones first: with a broken budget, gating, with another budget, usual.
  var rankedMetrics: [MetricSummary] {
    func judged(_ verdict: BudgetVerdict) -> [String] {
      budgets.filter { $0.verdict == verdict }.map(\.budget.metric)
    }
    let names = judged(.broken) + gating + judged(.unknown) + judged(.held) + Self.usualMetrics
    let first = names.uniqued().compactMap { name in
      shownMetrics.first { $0.definition.name == name }
    }
    return (first + shownMetrics).uniqued()
  }

  var keyMetricTable: Table? {
    keyMetrics.isEmpty
      ? nil
      : Table(
        id: "key-metrics", title: "Metrics", columns: Self.metricColumns + [.init("launches")],
        rows: keyMetrics.map(Self.cellsWithLaunches))
  }

  private static func cellsWithLaunches(of metric: MetricSummary) -> [Table.Cell] {
    cells(of: metric) + [.init(strip: metric.values)]
  }

  private var shownMetrics: [MetricSummary] {
    metrics.filter { !$0.values.isEmpty && !$0.definition.isWindow }
  }

  static let metricColumns: [Table.Column] = [
    .init("metric"), .init("median", .trailing), .init("95 % CI", .trailing), .init("n", .trailing),
  ]

  static func cells(of metric: MetricSummary) -> [Table.Cell] {
    let dimension = metric.definition.dimension
    return [
      .init(metric.definition.name), .init(Wording.value(metric.median, dimension), .strong),
      .init(Wording.interval(metric.low, metric.high, around: metric.median, dimension)),
      .init("\(metric.values.count)", .muted),
    ]
  }

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
    let names = Self.usualMetrics.filter { name in
      run.launches.contains { $0.metrics[name] != nil }
    }
    let dimensions = Dictionary(
      run.definitions.map { ($0.name, $0.dimension) }, uniquingKeysWith: { first, _ in first })
    let rows = run.launches.map { launch -> [Table.Cell] in
      let isCompleted = launch.status == .completed
      let status = launch.isWarmup && isCompleted ? "warm-up" : launch.status.description
      let tone: Tone = launch.isWarmup ? .muted : .plain
      return [
        .init("\(launch.index)", tone), .init(status, isCompleted ? .muted : .bad),
        .init(NumberFormat.human(Double(launch.offset), .time), .muted),
      ] + names.map { .init(Wording.value(launch.metrics[$0], dimensions[$0] ?? .count), tone) }
    }
    return Table(
      id: "iterations", title: "Launches",
      columns: [.init("launch", .trailing), .init("status"), .init("start", .trailing)]
        + names.map { .init($0, .trailing) },
      rows: rows)
  }

  /// The metrics that matter in most scenarios, in the order of their importance.
  private static let usualMetrics = [
    MetricName.workInstructions, MetricName.workCalls,
    MetricName.wall, MetricName.cpuTotal, MetricName.rssPeak, MetricName.frameHitchTimeRatio,
    MetricName.percentile(99, of: MetricName.frameOverrun),
    MetricName.percentile(99, of: MetricName.frameCost), MetricName.frameDropped,
    MetricName.startupFullDisplay, MetricName.cacheHitRatio,
  ]

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
