internal import PerfModel
internal import PerfReport

extension GateDigest {
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
    if !decided.isEmpty { lines += Self.head + decided + [""] }
    for spread in spreads { lines += [spread, ""] }
    if !undecided.isEmpty {
      let failures = hasFailures ? "; failed launches are left out" : ""
      lines += [
        "<details><summary>\(undecided.count) undecided (? marks a change that may be noise"
          + "\(failures))</summary>", "",
      ]
      lines += Self.head + undecided + ["", "</details>", ""]
    }
    if let noise { lines += ["Noise: \(noise).", ""] }
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

  /// The lines above the rows of a table.
  private static let head = Array(
    markdown([[Table.Cell](repeating: .init(""), count: 6)]).prefix(2))

  /// Returns the table rows of gating metrics in Markdown.
  static func rows(_ cells: [[Table.Cell]]) -> [String] {
    cells.isEmpty ? [] : Array(markdown(cells).dropFirst(2))
  }

  /// Returns the lines of a table.
  private static func markdown(_ rows: [[Table.Cell]]) -> [String] {
    let columns: [Table.Column] = [
      .init("scenario"), .init("metric"), .init("base", .trailing),
      .init("candidate", .trailing), .init("change", .trailing), .init("verdict"),
    ]
    let table = Table(
      id: "gate", title: "", columns: columns,
      rows: rows)
    return MarkdownRenderer().render(table).split(separator: "\n").map(String.init)
  }
}
