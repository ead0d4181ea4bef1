internal import PerfModel
internal import PerfStatistics

/// The comparison in one screen or less.
extension ComparisonDocument {
  /// Returns the comparison as text and tables, at most as long as requested.
  public func document(_ detail: Detail) -> Document {
    guard detail != .all else { return document }
    let isBrief = detail == .brief
    return Document(
      title: title,
      blocks: [
        .verdict(
          isBrief
            ? verdictSentence
            : [headline, allocationSentence].compactMap(\.self).joined(separator: " "),
          Tone(comparison.combined))
      ] + warnings.filter(\.isOfProgram).prefix(2).map { .paragraph(Wording.sentence($0.message)) }
        + Document.Block.each(
          shortDifferences(isBrief ? 22 : 60).map { [checkTable, $0] } ?? [
            checkTable, shortMetricTable(isBrief ? 3 : layouts == nil ? 5 : 4),
            isBrief ? nil : culpritTable,
          ]) + [.facts(shortFacts + [layouts].compactMap(\.self))]
        + Document.Block.end(warnings, reportPath))
  }

  /// Returns the differences of the environments that make the comparison void, in at most three rows, with
  /// values of at most `width` characters; metrics and functions mean nothing then.
  private func shortDifferences(_ width: Int) -> Table? {
    let voiding = comparison.environmentDifferences.filter(\.voids)
    // A comparison with allowed differences is void for another reason.
    guard comparison.verdict == .void, !voiding.isEmpty, allowedDifferences.isEmpty else {
      return nil
    }
    func cell(_ value: String?) -> Table.Cell {
      .init(TextWrapping.begun(value ?? "unknown", to: width))
    }
    return Table(
      id: "differences", title: "",
      columns: [
        .init("differs"), .init("base", isDetail: true), .init("candidate", isDetail: true),
      ],
      rows: voiding.prefix(3).map { [.init($0.key, .bad), cell($0.base), cell($0.candidate)] })
  }

  private var shortFacts: [Document.Fact] {
    let sides = [
      Document.Fact("base", describe(comparison.base, base)),
      Document.Fact("candidate", describe(comparison.candidate, candidate)),
    ]
    guard !comparison.isSameProgram else { return sides }
    let pairs = comparison.pairing.map { pairing in
      "\(pairing.pairs) of \(pairing.launchesPerPair) + \(pairing.launchesPerPair) launches; "
    }
    return sides + [
      .init(
        pairs == nil ? "all" : "pairs",
        // The paths of two reports may be longer than a line.
        reports == nil
          ? "\(pairs.map { "\($0)all: " } ?? "")\(command) --all"
          : "repeat the command with --all")
    ]
  }

  /// The expectations that do not hold, in at most two rows; if all hold, their number.
  private var checkTable: Table? {
    let checks = Table.checks(of: expectations)
    guard !checks.isEmpty else { return nil }
    // An expectation that was not measured is not open.
    let open = checks.filter { [.bad, .unknown].contains($0.tone) }.sorted { $0.rank < $1.rank }
    let columns: [Table.Column] = [.init(""), .init("", isFlexible: true)]
    guard !open.isEmpty else {
      let kept = checks.count { $0.tone == .good }
      return Table(
        id: "checks", title: "", columns: columns,
        rows: [[.init("kept", .good), .init(Wording.count(kept, "expectation"))]])
    }
    let limit = open.count > 2 ? 1 : 2
    let left = open.count - min(open.count, limit)
    return Table(
      id: "checks", title: "", columns: columns,
      rows: open.prefix(limit).map { [.init($0.word, $0.tone), .init($0.text)] }
        + (left > 0 ? [[.init("", .muted), .init("and \(left) more", .muted)]] : []))
  }

  /// Returns the most important metrics, with a bar for the interval.
  private func shortMetricTable(_ limit: Int) -> Table? {
    let chosen = rankedMetrics.prefix(limit)
    guard !chosen.isEmpty else { return nil }
    return Table(
      id: "metrics", title: "",
      columns: [
        .init("metric", isFlexible: true), .init("base", .trailing), .init("candidate", .trailing),
        .init("change", .trailing), .init(ChangeBar.title, isExtra: true), .init("verdict"),
      ],
      rows: chosen.map { metric in
        let cells = Self.cells(of: metric)
        return cells.dropLast() + [.init(ChangeBar.text(of: metric), .muted), cells[4]]
      })
  }

  /// The functions that explain the change.
  private var culpritTable: Table? {
    guard !culprits.isEmpty else { return nil }
    let touched = Set(comparison.functions.filter(\.isTouched).map(\.name))
    return Table(
      id: "functions", title: "",
      columns: [
        .init("CPU time", .trailing), .init("source"), .init("function", isFlexible: true),
      ],
      rows: culprits.map { culprit in
        [
          .init(
            NumberFormat.humanChange(culprit.difference, .time),
            culprit.difference > 0 ? .bad : .good),
          .init(touched.contains(culprit.name) ? "changed" : ""), .init(culprit.name),
        ]
      })
  }
}

/// The interval of a change as a bar around zero, with the margin as its unit.
enum ChangeBar {
  /// The heading; the margin is two characters wide.
  static let title = "± margin"
  /// The characters on each side of zero.
  private static let reach = 4
  /// The characters of a margin.
  private static let unit = 2.0

  /// Returns a bar such as `   ·  │━●━`: zero, both margins as points, the interval and the estimate.
  ///
  /// Ends beyond the bar are arrows. The bar is empty without a margin or an estimate.
  static func text(of metric: MetricComparison) -> String {
    text(metric.estimate, low: metric.low, high: metric.high, margin: metric.margin)
  }

  static func text(_ estimate: Double?, low: Double?, high: Double?, margin: Double?) -> String {
    guard let margin, margin > 0, let estimate else { return "" }
    func place(_ change: Double) -> Int {
      Int(nearest: min(max(change / margin * unit, -100), 100)) + reach
    }
    var cells = Array(repeating: Character(" "), count: 2 * reach + 1)
    for margin in [-unit, unit] { cells[reach + Int(margin)] = "·" }
    cells[reach] = "│"
    let (low, high) = (place(low ?? estimate), place(high ?? estimate))
    for cell in cells.indices where low <= cell && cell <= high && cell != reach {
      cells[cell] = "━"
    }
    if low < 0 { cells[0] = "◀" }
    if high >= cells.count { cells[cells.count - 1] = "▶" }
    if cells.indices.contains(place(estimate)) { cells[place(estimate)] = "●" }
    while cells.last == " " { cells.removeLast() }
    return String(cells)
  }
}
