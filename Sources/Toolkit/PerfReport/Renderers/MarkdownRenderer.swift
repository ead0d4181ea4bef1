internal import PerfModel

/// The renderer of documents as Markdown with tables.
public struct MarkdownRenderer: Sendable {
  /// Creates a renderer.
  public init() {}

  /// Returns the document as Markdown, with a newline at the end.
  public func render(_ document: Document) -> String {
    let blocks = document.blocks.map(render).filter { !$0.isEmpty }
    return (["# \(Self.escape(document.title))"] + blocks).joined(separator: "\n\n") + "\n"
  }

  private func render(_ block: Document.Block) -> String {
    switch block {
    case .verdict(let text, _): return "**\(Self.escape(text))**"
    case .facts(let facts):
      return facts.map { "- \(Self.escape($0.name)): \(Self.escape($0.value))" }
        .joined(separator: "\n")
    case .table(let table): return render(table)
    case .paragraph(let text): return Self.escape(text)
    case .warnings(let warnings):
      guard !warnings.isEmpty else { return "" }
      let lines = warnings.map { "- \(Self.escape($0.description))" }
      return (["## Warnings", ""] + lines).joined(separator: "\n")
    }
  }

  /// Returns a table as Markdown, without a newline at the end; empty for a table without rows.
  public func render(_ table: Table) -> String {
    guard !table.groups.isEmpty else { return "" }
    var lines: [String] = []
    if !table.title.isEmpty { lines += ["## \(Self.escape(table.title))", ""] }
    lines.append(line(table.columns.map { Self.escape($0.title) }))
    lines.append(line(table.columns.map { $0.alignment == .leading ? "---" : "---:" }))
    for group in table.groups {
      if let title = group.title {
        let empty = Array(repeating: "", count: table.columns.count - 1)
        lines.append(line(["*\(Self.escape(title))*"] + empty))
      }
      lines += group.rows.map { row in line(row.map(render)) }
    }
    if !table.caption.isEmpty { lines += ["", Self.escape(table.caption)] }
    return lines.joined(separator: "\n")
  }

  private func render(_ cell: Table.Cell) -> String {
    let text = Self.escape(cell.text)
    let isBold = [.bad, .good, .strong].contains(cell.tone) && !text.isEmpty
    return isBold ? "**\(text)**" : text
  }

  private func line(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  /// Returns text in which the special characters of Markdown and HTML are escaped.
  public static func escape(_ text: String) -> String {
    text.withoutControls.escaping([
      "<": "&lt;", ">": "&gt;", "&": "&amp;", "\\": "\\\\", "`": "\\`", "*": "\\*", "_": "\\_",
      "[": "\\[", "]": "\\]", "|": "\\|", "~": "\\~", "#": "\\#",
    ])
  }
}
