internal import PerfModel
internal import PerfReport

extension GateReport {
  /// By this line a comment is found again, to be changed in place of making another one.
  static let marker = "<!-- perfkit-gate -->"

  /// Markdown for a comment on a pull request: the verdict, what changed, and folded away what is
  /// probably noise.
  var comment: String {
    let icon =
      switch status {
      case .done: "✅"
      case .gateFailed, .failed, .usage: "❌"
      case .inconclusive, .void, .interrupted: "❔"
      }
    var lines = [Self.marker, "### \(icon) \(sentence)", ""]
    if let note { lines += [MarkdownRenderer.escape(note), ""] }
    let items = findings.map(\.markdown)
    if !items.isEmpty { lines += items + [""] }
    let rows = results.flatMap { result in
      (result.comparison?.whole.metrics ?? []).filter(\.isGating).map { metric in
        Row(
          subject: result.subject, metric: metric,
          isAccepted: result.comparison?.number(accepting: metric) != nil)
      }
    }
    let sure = rows.filter { $0.metric.verdict != .inconclusive }
    let unsure = rows.filter { $0.metric.verdict == .inconclusive }
    if !sure.isEmpty { lines += [Self.markdown(sure), ""] }
    if !unsure.isEmpty {
      lines += [
        "<details><summary>\(unsure.count) not decided, probably noise</summary>", "",
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

    var cells: [Table.Cell] {
      let cells = ComparisonDocument.cells(of: metric)
      return [.init(subject)]
        + (isAccepted ? Array(cells.dropLast()) + [.init("accepted", .strong)] : cells)
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
