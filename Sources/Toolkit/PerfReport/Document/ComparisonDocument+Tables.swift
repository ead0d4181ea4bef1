public import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// The differences that would make it void, had the user not allowed them.
  public var allowedDifferences: [Environment.Difference] {
    areDifferencesAllowed ? comparison.environmentDifferences.filter(\.voids) : []
  }

  private var areDifferencesAllowed: Bool {
    comparison.warnings.contains { $0.code == RunComparer.environmentsAllowed }
  }

  /// In what the environments differ; nil when in nothing.
  var environmentTable: Table? {
    guard !comparison.environmentDifferences.isEmpty else { return nil }
    let consequence = Table.Cell(areDifferencesAllowed ? "allowed" : "void", .bad)
    return Table(
      id: "differences", title: "Environments differ",
      columns: [
        .init("fact"), .init("base", isFlexible: true, isDetail: true),
        .init("candidate", isDetail: true), .init("consequence"),
      ],
      rows: comparison.environmentDifferences.map { difference in
        [
          .init(difference.key), .init(difference.base ?? "unknown"),
          .init(difference.candidate ?? "unknown"),
          difference.voids ? consequence : .init("noted", .muted),
        ]
      })
  }

  /// The metrics with their changes; nil when there are none.
  var metricTable: Table? {
    table { (metric: $0, interval: Wording.changeInterval($0), count: count($0)) }
  }

  /// The same table as reports had it before intervals of differences said their units, and when what
  /// was given up at a look stood as decided there.
  var olderMetricTable: Table? {
    table { (metric: $0, interval: Wording.bareChangeInterval($0), count: pairs($0)) }
  }

  private typealias Line = (metric: MetricComparison, interval: String, count: String)

  private func table(_ line: (MetricComparison) -> Line) -> Table? {
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
        .init(title: others.isEmpty ? nil : "gating", rows: gating.map { row(line($0)) }),
        .init(title: gating.isEmpty ? nil : "for information", rows: others.map { row(line($0)) }),
      ],
      caption: "~ no difference is shown. Interval of the change; \(counted)")
  }

  /// What the column of numbers counts.
  private var counted: String {
    if comparison.pairing != nil { return "the number of pairs at which the verdict was reached." }
    return comparison.sessions == nil
      ? "n launches of each side."
      : "n sessions of the baseline + launches of the candidate."
  }

  private func count(_ metric: MetricComparison) -> String {
    guard comparison.pairing != nil else { return "\(metric.n.base)+\(metric.n.candidate)" }
    // At that look an inconclusive one was only given up.
    return metric.verdict == .inconclusive ? Wording.nothing : pairs(metric)
  }

  private func pairs(_ metric: MetricComparison) -> String {
    metric.decidedAt.map { "\($0) pairs" } ?? Wording.nothing
  }

  /// A metric with its values, its change and its verdict.
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

  /// What is better neither low nor high would read as inconclusive for ever.
  private static func isJudged(_ metric: MetricComparison) -> Bool {
    metric.definition.direction != .neutral
  }

  private func row(_ line: Line) -> [Table.Cell] {
    let metric = line.metric
    return Self.cells(of: metric) + [
      .init(
        metric.ratio.flatMap { $0 < 0 ? nil : NumberFormat.significant($0) } ?? Wording.nothing),
      .init(line.interval),
      .init(Wording.probability(metric.p)),
      .init(line.count),
      .init(Self.isJudged(metric) ? metric.note : "", .muted),
    ]
  }

  /// The functions that changed most; nil when none is known.
  var functionTable: Table? {
    let shown = comparison.functions.filter { $0.base > 0 || $0.candidate > 0 }
    guard !shown.isEmpty else { return nil }
    let groups = [
      Table.Group(title: "self", rows: Self.rows(shown.filter { $0.kind == .own })),
      Table.Group(
        title: "total, with all that it calls",
        rows: Self.rows(telling(shown.filter { $0.kind == .total }))),
    ]
    return Table(
      id: "functions", title: "Functions, CPU time a launch",
      columns: [
        .init("base", .trailing), .init("candidate", .trailing), .init("difference", .trailing),
        .init("function", isFlexible: true), .init("interval", .trailing, isDetail: true),
        .init("q", .trailing, isDetail: true),
      ],
      groups: groups,
      caption: "~ what may be noise"
        + (comparison.pairing == nil
          ? " at a false discovery rate of 5 %."
          : ": of the other names of a kind (self, total) there is a false one in at most 5 % of "
            + "comparisons.")
        + " Callers that hold nearly all of the change are left out of the totals.")
  }

  /// Totals without the callers that hold nearly all of the change, which tell nothing of where it
  /// is; the deepest one that explains it stays.
  private func telling(_ totals: [FunctionComparison]) -> [FunctionComparison] {
    let largest = totals.map { abs($0.difference) }.max() ?? 0
    let deepest = FunctionComparer.explanation(of: comparison.functions).first
    return totals.filter { abs($0.difference) < 0.95 * largest || $0 == deepest }
  }

  private static func rows(_ functions: [FunctionComparison]) -> [[Table.Cell]] {
    functions.sorted { isBefore($0, $1) }.prefix(12).map { row($0) }
  }

  /// What is shown to be real goes before noise, large changes before small ones.
  static func isBefore(_ first: FunctionComparison, _ second: FunctionComparison) -> Bool {
    if first.isSignificant != second.isSignificant { return first.isSignificant }
    let (one, other) = (abs(first.difference), abs(second.difference))
    return one == other ? first.key < second.key : one > other
  }

  private static func row(_ function: FunctionComparison) -> [Table.Cell] {
    let isReal = function.isSignificant
    let tone: Tone = isReal ? (function.difference > 0 ? .bad : .good) : .muted
    let time = { (value: Double) in NumberFormat.human(value, .time) }
    return [
      .init(time(function.base), isReal ? .plain : .muted),
      .init(time(function.candidate), isReal ? .plain : .muted),
      .init((isReal ? "" : "~ ") + NumberFormat.humanChange(function.difference, .time), tone),
      .init(function.name, isReal ? .plain : .muted),
      .init(
        Wording.interval(function.low, function.high, around: function.difference, .time),
        .muted),
      .init(Wording.probability(function.q), .muted),
    ]
  }
}
