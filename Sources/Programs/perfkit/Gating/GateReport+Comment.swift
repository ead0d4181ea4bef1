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
    for finding in findings {
      lines.append("- \(finding.isFailure ? "❌" : "❔") **\(finding.subject)**: \(finding.message)")
    }
    if !findings.isEmpty { lines.append("") }
    let rows = results.flatMap { result in
      (result.comparison?.metrics ?? []).filter(\.isGating).map { (result.subject, $0) }
    }
    let sure = rows.filter { $0.1.verdict != .inconclusive }
    let unsure = rows.filter { $0.1.verdict == .inconclusive }
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

  private static func markdown(_ rows: [(String, MetricComparison)]) -> String {
    let table = Table(
      id: "gate", title: "",
      columns: [
        .init("scenario"), .init("metric"), .init("base", .trailing),
        .init("candidate", .trailing), .init("change", .trailing), .init("verdict"),
      ],
      rows: rows.map { subject, metric in
        [.init(subject)] + ComparisonDocument.cells(of: metric)
      })
    return MarkdownRenderer().render(table)
  }
}
