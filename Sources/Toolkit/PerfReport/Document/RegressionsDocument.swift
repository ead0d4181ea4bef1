internal import PerfModel
internal import PerfStatistics

/// The metrics that are worse than before, over the histories of several scenarios.
public struct RegressionsDocument: Sendable {
  private struct Entry {
    let history: HistoryDocument
    let change: MetricHistory.Change
    /// The size of the change up to now, in the metric's scale.
    let size: Double
    /// The p-value adjusted for all histories.
    let q: Double
  }

  /// The adjusted p-value up to which chance hardly explains a change.
  private static let level = 0.05

  private let entries: [Entry]
  /// The number of histories in which a change could be detected.
  private let count: Int
  /// The number of histories with too few commits.
  private let short: Int

  /// Finds the metrics that are worse, by Benjamini and Hochberg's adjusted p-value.
  public init(_ histories: [HistoryDocument]) {
    let long = histories.filter { $0.history.points.count >= MetricHistory.pointsNeeded }
    (count, short) = (long.count, histories.count - long.count)
    let found = long.map(\.history.regression)
    let adjusted = try? MultipleTests.benjaminiHochberg(found.map { $0?.change.p ?? 1 })
    entries = zip(zip(long, found), adjusted ?? found.map { _ in 1 }).compactMap { pair, q in
      pair.1.map { Entry(history: pair.0, change: $0.change, size: $0.size, q: q) }
    }.sorted { ($0.q, $0.history.title) < ($1.q, $1.history.title) }
  }

  private var sentence: String {
    let all = Wording.count(count, "history", "histories")
    let rest = short == 0 ? "" : " \(NumberFormat.grouped(short)) more have too few commits."
    guard count > 0 else {
      return "Undecided: no history has \(MetricHistory.pointsNeeded) commits."
    }
    return
      (entries.isEmpty
      ? "No metric is worse than before in \(all)."
      : Wording.count(entries.count, "metric is", "metrics are") + " worse than before in \(all).")
      + rest
  }

  private var tone: Tone { count == 0 ? .unknown : entries.isEmpty ? .good : .bad }

  /// The document with the sentence and a row for each metric.
  public var document: Document {
    Document(title: "regressions", blocks: [.verdict(sentence, tone), .table(table)])
  }

  private var table: Table {
    let rows = entries.map { entry -> [Table.Cell] in
      let (history, point) = (entry.history, entry.history.history.points[entry.change.index])
      return [
        .init("\(history.scenario):\(history.variant)", .strong),
        .init(history.history.definition.name),
        .init(
          Wording.change(entry.size, of: history.history.definition), .bad,
          json: .number(entry.size)),
        .init(history.name(point), json: .optional(point.commit)),
        .init(Wording.probability(entry.change.p), json: .number(entry.change.p)),
        .init(
          Wording.probability(entry.q), entry.q > Self.level ? .muted : .plain,
          json: .number(entry.q)),
        .init(point.commit.flatMap { history.summaries[$0] } ?? "", .muted),
      ]
    }
    return Table(
      id: "regressions", title: "Worse than before",
      columns: [
        .init("scenario:variant", key: "subject"), .init("metric"), .init("change", .trailing),
        .init("since", key: "commit"), .init("p", .trailing), .init("q", .trailing),
        .init("summary", isFlexible: true),
      ], rows: rows,
      caption:
        "p is the probability of such a change by chance in one history, q is adjusted for all."
        + (entries.contains { $0.q > Self.level }
          ? " A metric with q above \(Self.level) may be worse by chance: measure it again." : ""))
  }

  /// The metrics in the format `perfkit.regressions/1`.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.regressions/1", "histories": .int(count), "short": .int(short),
      "sentence": .string(sentence), "regressions": table.json,
    ])
  }
}
