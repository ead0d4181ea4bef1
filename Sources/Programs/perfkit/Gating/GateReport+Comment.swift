internal import PerfModel
internal import PerfReport

extension GateReport {
  /// By this line a comment is found again, to be changed in place of making another one.
  static let marker = "<!-- perfkit-gate -->"

  /// Markdown for a comment on a pull request: the verdict, what changed, and folded away, with a
  /// question mark, what is probably noise.
  var comment: String {
    let icon =
      switch status {
      case .done: "✅"
      case .gateFailed, .failed, .usage: "❌"
      case .inconclusive, .void, .interrupted: "❔"
      }
    var lines = [Self.marker, "### \(icon) \(MarkdownRenderer.escape(sentence))", ""]
    if let note { lines += [MarkdownRenderer.escape(note), ""] }
    let items = findings.map(\.markdown)
    if !items.isEmpty { lines += items + [""] }
    let rows = results.flatMap { result in
      (result.comparison?.whole.metrics ?? []).filter(\.isGating).map { metric in
        Row(
          subject: result.subject, metric: metric,
          isAccepted: result.comparison?.number(accepting: metric) != nil,
          isVoid: result.comparison?.whole.verdict == .void)
      }
    }
    let sure = rows.filter { !$0.isUnsure }
    let unsure = rows.filter(\.isUnsure)
    if !sure.isEmpty { lines += [Self.markdown(sure), ""] }
    for result in results {
      guard let comparison = result.comparison?.rest, comparison.verdict != .void,
        let spread = ComparisonDocument(comparison).hiddenBySpread
      else { continue }
      let escape = MarkdownRenderer.escape
      lines += ["**\(escape(result.subject))**: \(escape(spread))", ""]
    }
    if !unsure.isEmpty {
      let isLacking = unsure.contains { $0.metric.failures > 0 }
      let more = isLacking ? ", or leaves out launches that failed" : ""
      lines += [
        "<details><summary>\(unsure.count) not decided; ? is probably noise\(more)</summary>", "",
        Self.markdown(unsure), "", "</details>", "",
      ]
    }
    if let noise { lines += ["Noise: \(noise.summary).", ""] }
    return lines.joined(separator: "\n")
  }

  /// A metric that decides.
  private struct Row {
    let subject: String
    let metric: MetricComparison
    let isAccepted: Bool
    /// Whether the whole comparison is void, so that nothing can be said of the metric either.
    let isVoid: Bool

    /// Whether it may be noise, as far as anybody knows.
    var isUnsure: Bool { isVoid || metric.verdict == .inconclusive }

    /// What the metric's own cells say, with another change where it may be noise, and another
    /// verdict where that is not its own.
    var cells: [Table.Cell] {
      var cells = [Table.Cell(subject)] + ComparisonDocument.cells(of: metric)
      if isUnsure {
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

  private static func markdown(_ rows: [Row]) -> String {
    let table = Table(
      id: "gate", title: "",
      columns: [
        .init("scenario"), .init("metric"), .init("base", .trailing),
        .init("candidate", .trailing), .init("change", .trailing), .init("verdict"),
      ],
      rows: rows.map(\.cells))
    return MarkdownRenderer().render(table)
  }
}
