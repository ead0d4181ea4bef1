internal import PerfModel
internal import PerfReport
internal import PerfStatistics

extension GateReport {
  /// The results as texts.
  var digest: GateDigest {
    let rows = results.flatMap { result in
      (result.comparison?.whole.gating ?? []).map { metric in
        Row(
          subject: result.subject, metric: metric,
          isAccepted: result.comparison?.number(accepting: metric) != nil,
          isVoid: result.comparison?.whole.verdict == .void)
      }
    }
    let undecided = rows.filter(\.isUndecided)
    return GateDigest(
      status: status, note: note, lines: lines, results: results.map(json), findings: findings,
      checks: cases.map(GateDigest.Check.init),
      decided: GateDigest.rows(rows.filter { !$0.isUndecided }.map(\.cells)),
      undecided: GateDigest.rows(undecided.map(\.cells)),
      hasFailures: undecided.contains { $0.metric.failures > 0 }, spreads: spreads,
      noise: noise?.summary)
  }

  /// Each result in a line.
  var lines: [GateDigest.Line] {
    results.map { result in
      let acceptance: GateDigest.Line.Acceptance? =
        result.change?.decision != nil
        ? .change : result.comparison?.acceptance != nil ? .regression : nil
      return GateDigest.Line(
        subject: result.subject, run: result.summary?.run.id, word: result.word,
        status: result.status, note: result.note,
        isNamed: result.isOfScenario || result.change != nil, acceptance: acceptance)
    }
  }

  /// The element of `results` in `verdict.json`.
  private func json(_ result: GateResult) -> JSONValue {
    .object([
      "change": result.change?.json ?? .null,
      "subject": .string(result.subject),
      "status": .int(Int(result.status.rawValue)),
      "verdict": .string(result.status.word),
      "note": .string(result.note),
      "run": result.summary?.document.json ?? .null,
      "comparison": result.comparison?.document(noise: noise).json ?? .null,
      "accepted": result.comparison?.json ?? .array([]),
    ])
  }

  private var spreads: [String] {
    results.compactMap { result in
      result.hiddenBySpread.map { spread in
        let escape = MarkdownRenderer.escape
        return "**\(escape(result.subject))**: \(escape(spread))"
      }
    }
  }

  /// A row of the table: a gating metric.
  private struct Row {
    let subject: String
    let metric: MetricComparison
    let isAccepted: Bool
    /// Whether the whole comparison is void.
    let isVoid: Bool

    var isUndecided: Bool { isVoid || metric.verdict == .inconclusive }

    /// The cells of the metric, with a question mark after an undecided change, and the verdict *void*
    /// or *accepted* in place of the metric's own.
    var cells: [Table.Cell] {
      var cells = [Table.Cell(subject)] + ComparisonDocument.cells(of: metric)
      if isUndecided {
        cells[4] = .init(metric.estimate == nil ? "?" : "\(Wording.change(metric)) ?", .muted)
      }
      if isVoid {
        cells[5] = .init("void", .muted)
      } else if isAccepted {
        cells[5] = .init("accepted", .strong)
      }
      return cells
    }
  }
}

extension GateResult {
  /// The result in a word.
  var word: String {
    guard let change else { return status.word }
    return change.decision == nil ? change.kind.rawValue : "accepted"
  }
}
