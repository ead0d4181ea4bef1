internal import PerfModel
internal import PerfReport

extension GateReport {
  /// The first line of a comment, by which a CI job finds the comment to replace.
  public static let marker = "<!-- perfkit-gate -->"

  /// The comment on a pull request in Markdown.
  ///
  /// The comment begins with the verdict, the findings and the decided metrics. Undecided metrics follow
  /// in a folded section. The end of a comment that GitHub would refuse is left out.
  public var comment: String {
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
      (result.comparison?.whole.gating ?? []).map { metric in
        Row(
          subject: result.subject, metric: metric,
          isAccepted: result.comparison?.number(accepting: metric) != nil,
          isVoid: result.comparison?.whole.verdict == .void)
      }
    }
    let decided = rows.filter { !$0.isUndecided }
    let undecided = rows.filter(\.isUndecided)
    if !decided.isEmpty { lines += [Self.markdown(decided), ""] }
    for result in results {
      guard let comparison = result.comparison?.rest, comparison.verdict != .void,
        let spread = ComparisonDocument(comparison).hiddenBySpread
      else { continue }
      let escape = MarkdownRenderer.escape
      lines += ["**\(escape(result.subject))**: \(escape(spread))", ""]
    }
    if !undecided.isEmpty {
      let hasFailures = undecided.contains { $0.metric.failures > 0 }
      let failures = hasFailures ? "; failed launches are left out" : ""
      lines += [
        "<details><summary>\(undecided.count) undecided (? marks a change that may be noise"
          + "\(failures))</summary>", "",
        Self.markdown(undecided), "", "</details>", "",
      ]
    }
    if let noise { lines += ["Noise: \(noise.summary).", ""] }
    return Self.capped(lines.joined(separator: "\n"))
  }

  /// Returns a text of fewer than 65,536 characters, which is the limit of GitHub and below GitLab's.
  ///
  /// The text ends after a whole line, with the number of lines that are left out.
  static func capped(_ text: String) -> String {
    let (limit, longest) = (65_000, 20_000)
    guard text.utf8.count > limit else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.utf8.count > longest ? "\($0.prefix(longest / 4))…" : String($0) }
    var room = limit
    var kept = Array(
      lines.prefix { line in
        room -= line.utf8.count + 1
        return room >= 0
      })
    let left = lines.count - kept.count
    if kept.contains(where: { $0.hasPrefix("<details>") }), !kept.contains("</details>") {
      kept += ["", "</details>"]
    }
    return (kept + ["", "\(Wording.count(left, "line")) left out: see verdict.json.", ""])
      .joined(separator: "\n")
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
