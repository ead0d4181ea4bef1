public import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// The voiding environment differences that the user allowed.
  public var allowedDifferences: [Environment.Difference] {
    areDifferencesAllowed ? comparison.environmentDifferences.filter(\.voids) : []
  }

  private var areDifferencesAllowed: Bool {
    comparison.warnings.contains { $0.code == RunComparer.environmentsAllowed }
  }

  var environmentTable: Table? {
    guard !comparison.environmentDifferences.isEmpty else { return nil }
    let consequence = Table.Cell(areDifferencesAllowed ? "allowed" : "void", .bad)
    return Table(
      id: "differences", title: "Differences of the environments",
      columns: [
        .init("fact"), .init("base", isFlexible: true, isDetail: true),
        .init("candidate", isDetail: true), .init("consequence"),
      ],
      rows: comparison.environmentDifferences.map { difference in
        [
          .init(difference.key), .init(difference.base ?? "unknown"),
          .init(difference.candidate ?? "unknown"),
          difference.voids ? consequence : .init("none", .muted),
        ]
      })
  }

  var metricTable: Table? {
    guard !comparison.metrics.isEmpty else { return nil }
    let gating = comparison.metrics.filter(\.isGating)
    let others = comparison.metrics.filter { !$0.isGating && !$0.definition.isWindow }
    return Table(
      id: "metrics", title: "Metrics",
      columns: [
        .init("metric"), .init("base", .trailing), .init("candidate", .trailing),
        .init("change", .trailing), .init("verdict"), .init("ratio", .trailing, isDetail: true),
        .init("interval", .trailing, isDetail: true), .init("p", .trailing, isDetail: true),
        .init(comparison.pairing == nil ? "n" : "decided at", .trailing, isDetail: true),
        .init("note", isDetail: true),
      ],
      groups: [
        .init(title: others.isEmpty ? nil : "gating", rows: gating.map(row)),
        .init(title: gating.isEmpty ? nil : "for information", rows: others.map(row)),
      ],
      caption: "~: neither improved nor regressed. The interval is that of the change; \(counted)")
  }

  private var counted: String {
    if comparison.pairing != nil {
      return "the number of pairs is that of the decisive look. The change is estimated within the "
        + "pairs, so it differs from that of the medians."
    }
    return comparison.sessions == nil
      ? "n is the number of launches of base + candidate."
      : "n is the number of sessions of the baseline + launches of the candidate."
  }

  private func count(_ metric: MetricComparison) -> String {
    guard comparison.pairing != nil else { return "\(metric.n.base)+\(metric.n.candidate)" }
    guard metric.verdict != .inconclusive, let pairs = metric.decidedAt else {
      return Wording.nothing
    }
    return "\(pairs) pairs"
  }

  /// Returns the cells of a metric: name, values, change and verdict.
  public static func cells(of metric: MetricComparison) -> [Table.Cell] {
    let dimension = metric.definition.dimension
    let isShown = metric.verdict == .improved || metric.verdict == .regressed
    let change = Wording.change(metric.estimate, of: metric.definition)
    return [
      .init(metric.definition.name),
      .init(Wording.value(metric.base, dimension)),
      .init(Wording.value(metric.candidate, dimension)),
      isShown ? .init(change, Tone(metric.verdict)) : .init("~", .muted),
      isJudged(metric)
        ? .init(metric.verdict.rawValue, Tone(metric.verdict)) : .init("not judged", .muted),
    ]
  }

  /// Returns whether a metric has a better direction; without one it would always be inconclusive.
  private static func isJudged(_ metric: MetricComparison) -> Bool {
    metric.definition.direction != .neutral
  }

  private func row(_ metric: MetricComparison) -> [Table.Cell] {
    Self.cells(of: metric) + [
      .init(
        metric.ratio.flatMap { $0 < 0 ? nil : NumberFormat.significant($0) } ?? Wording.nothing),
      .init(Wording.changeInterval(metric)),
      .init(Wording.probability(metric.p)),
      .init(count(metric)),
      .init(Self.isJudged(metric) ? metric.note : "", .muted),
    ]
  }

  var functionTable: Table? {
    let shown = comparison.functions.filter { $0.base > 0 || $0.candidate > 0 }
    guard !shown.isEmpty else { return nil }
    let named = Set(culprits.map(\.key))
    let own = shown.filter { $0.kind == .own }
    let all = shown.filter { $0.kind == .total }
    let telling = all.telling(of: comparison.functions)
    let totals = telling + all.filter { named.contains($0.key) && !telling.contains($0) }
    return Table(
      id: "functions", title: "CPU time of functions per launch",
      columns: [
        .init("base", .trailing), .init("candidate", .trailing), .init("difference", .trailing),
        .init("source"), .init("function", isFlexible: true),
        .init("interval", .trailing, isDetail: true), .init("q", .trailing, isDetail: true),
      ],
      groups: [
        .init(title: "self", rows: own.rows(with: named)),
        .init(title: "total (with callees)", rows: totals.rows(with: named)),
      ],
      caption: "~: may be noise. "
        + (comparison.pairing == nil
          ? "At most 5 % of the other names are false on average."
          : "The other names of a kind (self, total) contain a false one in at most 5 % of "
            + "comparisons.")
        + " The totals omit callers that contain nearly all of the change and may be noise."
        + (shown.contains(where: \.isTouched)
          ? " Functions whose source changed have most of the 5 %." : ""))
  }
}
