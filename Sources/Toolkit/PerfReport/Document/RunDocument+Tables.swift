internal import PerfModel
internal import PerfStatistics

extension RunDocument {
  /// The budgets with what was measured; nil when there are none.
  var budgetTable: Table? {
    guard !budgets.isEmpty else { return nil }
    // What is true of several budgets is said once, below them.
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
        .init("interval", .trailing), .init("note", isDetail: true),
      ],
      rows: rows, caption: shared.map { $0 + "." }.joined(separator: " "))
  }

  /// All metrics that have values; nil when there are none.
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
        .init("metric"), .init("median", .trailing), .init("95 % interval", .trailing),
        .init("n", .trailing),
      ],
      groups: groups,
      caption: shown.contains { $0.low == nil && $0.high == nil }
        ? "- in place of an interval: fewer than six launches give none at 95 %." : "")
  }

  /// A table for each group of metrics, with the values of the launches as dots; nil without any.
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
          .init("metric"), .init("median", .trailing), .init("95 % interval", .trailing),
          .init("n", .trailing), .init("launches"),
        ],
        rows: group.rows)
    }
  }

  /// The launches that did not complete; nil when all did.
  var failureTable: Table? {
    guard !failures.isEmpty else { return nil }
    return Table(
      id: "failures", title: "Launches that did not complete",
      columns: [.init("launch", .trailing), .init("began after", .trailing), .init("end")],
      rows: failures.map { launch in
        [
          .init("\(launch.index)"),
          .init(NumberFormat.human(Double(launch.offset), .time)),
          .init(launch.status.description, .bad),
        ]
      })
  }

  /// The functions that the CPU time went to; nil without a profile.
  var functionTable: Table? {
    guard let profile = run.profile, !profile.counts.isEmpty else { return nil }
    let sampled = run.sampled
    let hot = HotFunctions(profile, launches: sampled.map(\.index))
    guard hot.total > 0 else { return nil }
    let launches = Double(max(sampled.count, 1))
    // Fewer than six launches give no interval of a median; then samples have to do.
    let isByLaunches = hot.totalByLaunch.filter { $0 > 0 }.count >= 6
    let rows = hot.functions.prefix(15).filter { $0.own > 0 }.map { entry -> [Table.Cell] in
      let own =
        isByLaunches
        ? Self.margin(of: entry.ownByLaunch, in: hot) : Self.margin(of: entry.ownSamples, in: hot)
      let total =
        isByLaunches
        ? Self.margin(of: entry.totalByLaunch, in: hot)
        : Self.margin(of: entry.totalSamples, in: hot)
      return [
        .init(Wording.share(entry.own, of: hot.total), .strong), .init(own, .muted),
        .init(Wording.share(entry.total, of: hot.total)), .init(total, .muted),
        .init(NumberFormat.human(entry.own / launches, .time)), .init(entry.function.name),
        // A module with a long name must not push the functions' out.
        .init(TextWrapping.shortened(entry.function.module, to: 20), .muted),
      ]
    }
    return Table(
      id: "functions", title: "Hot functions",
      columns: [
        .init("self", .trailing), .init("+-", .trailing), .init("total", .trailing),
        .init("+-", .trailing), .init("a launch", .trailing), .init("function", isFlexible: true),
        .init("module"),
      ],
      rows: Array(rows),
      caption: "Shares of \(NumberFormat.human(hot.total, .time)) of sampled CPU time, over "
        + "\(Wording.count(hot.samples, "sample")) of all threads. "
        + (isByLaunches
          ? "+- is half of the 95 % interval of a launch's share, in points."
          : "+- is half of the 95 % interval by the number of samples (Clopper-Pearson), in points: "
            + "how launches differ takes six of them."))
  }

  /// Returns half the interval of the median of a function's shares in the launches that used the
  /// CPU, in points.
  private static func margin(of times: [Double], in hot: HotFunctions) -> String {
    let shares = zip(times, hot.totalByLaunch).compactMap { $1 > 0 ? $0 / $1 : nil }
    return half(try? Quantiles.estimate(0.5, of: shares))
  }

  /// Returns half the interval of a function's share by its samples, in points.
  ///
  /// Samples of one launch are taken for independent. They are spread over the grid of ticks, so the
  /// truth is rather nearer than this.
  private static func margin(of samples: Int, in hot: HotFunctions) -> String {
    half(try? Proportion.estimate(events: min(samples, hot.samples), trials: hot.samples))
  }

  private static func half(_ estimate: IntervalEstimate?) -> String {
    guard let low = estimate?.low, let high = estimate?.high else { return Wording.nothing }
    return NumberFormat.fixed((high - low) / 2 * 100, decimals: 1)
  }

  /// One row a launch, with the metrics that matter most.
  var iterationTable: Table {
    let names = Self.iterationColumns.filter { name in
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
      columns: [.init("launch", .trailing), .init("status"), .init("began after", .trailing)]
        + names.map { .init($0, .trailing) },
      rows: rows)
  }

  private static let iterationColumns = [
    MetricName.wall, MetricName.cpuTotal, MetricName.rssPeak, MetricName.frameHitchTimeRatio,
    MetricName.percentile(99, of: MetricName.frameOverrun),
    MetricName.percentile(99, of: MetricName.frameCost), MetricName.frameDropped,
    MetricName.startupFullDisplay, MetricName.cacheHitRatio,
  ]

  /// The facts of the machine and the build.
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
