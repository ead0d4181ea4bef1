internal import PerfModel

/// The renderer of documents for a terminal.
public struct TextRenderer: Sendable {
  let width: Int
  private let usesColour: Bool
  private let detail: Detail

  /// Creates a renderer that uses escape sequences for colours; the defaults are for files and pipes.
  ///
  /// Unless `detail` is `all`, the parts of a document have a line each, the verdict up to three, and
  /// warnings are counted.
  public init(width: Int = 80, usesColour: Bool = false, detail: Detail = .all) {
    self.width = max(width, 40)
    self.usesColour = usesColour
    self.detail = detail
  }

  /// Returns the document as lines, with a newline at the end.
  ///
  /// No line is a command for GitHub, whatever the names and messages are.
  public func render(_ document: Document) -> String {
    let blocks = document.blocks.map { (isTable: $0.isTable, text: render($0)) }
      .filter { !$0.text.isEmpty }
    var text = ""
    for (index, block) in blocks.enumerated() {
      if index > 0 {
        let isApart = block.isTable || blocks[index - 1].isTable
        text += detail == .all || detail == .screen && isApart ? "\n\n" : "\n"
      }
      text += block.text
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).withoutCommands }.joined(separator: "\n") + "\n"
  }

  private func render(_ block: Document.Block) -> String {
    switch block {
    case .verdict(let text, let tone):
      begun(text, lines: 3).map { paint($0, tone, bold: true) }.joined(separator: "\n")
    case .facts(let facts): renderFacts(facts)
    case .table(let table): lines(of: table).joined(separator: "\n")
    // The path of a report can be copied.
    case .paragraph(let text):
      TextWrapping.lines(of: text, width: width, keepsWords: true).joined(separator: "\n")
    case .warnings(let warnings):
      detail == .all ? renderWarnings(warnings) : renderCount(of: warnings)
    }
  }

  private func renderFacts(_ facts: [Document.Fact]) -> String {
    let nameWidth = facts.map(\.name.count).max() ?? 0
    return facts.map { fact in
      let name = fact.name + String(repeating: " ", count: nameWidth - fact.name.count)
      let lines = begun(fact.value, lines: 1, width: width - nameWidth - 2)
      let indent = String(repeating: " ", count: nameWidth + 2)
      return paint(name, .muted) + "  " + lines.joined(separator: "\n" + indent)
    }
    .joined(separator: "\n")
  }

  private func renderWarnings(_ warnings: [RunWarning]) -> String {
    guard !warnings.isEmpty else { return "" }
    let lines = warnings.flatMap { warning in
      let text = "\(warning.description) (\(warning.code))"
      return wrap(text, width: width - 4).enumerated().map { index, line in
        index == 0 ? paint("  ! ", .unknown) + line : "    " + line
      }
    }
    return ([paint("Warnings", .strong)] + lines).joined(separator: "\n")
  }

  /// Returns the number of warnings and their codes in one line; empty without warnings.
  private func renderCount(of warnings: [RunWarning]) -> String {
    guard !warnings.isEmpty else { return "" }
    let codes = warnings.map(\.code).uniqued().map { code in
      let count = warnings.count { $0.code == code }
      return count > 1 ? "\(code) (\(count))" : code
    }
    let text = "\(Wording.count(warnings.count, "warning")): \(codes.joined(separator: ", "))"
    return paint("! ", .unknown) + begun(text, lines: 1, width: width - 2)[0]
  }

  /// Returns a text in lines; a shorter report has only the first `lines`, with an ellipsis for the rest.
  private func begun(_ text: String, lines limit: Int, width: Int? = nil) -> [String] {
    let (lines, width) = (wrap(text, width: width), width ?? self.width)
    guard detail != .all else { return lines }
    return lines.prefix(limit).enumerated().map { index, line in
      let isCut = index == limit - 1 && lines.count > limit
      return TextWrapping.begun(isCut ? line + "…" : line, to: width)
    }
  }

  func wrap(_ text: String, width: Int? = nil) -> [String] {
    TextWrapping.lines(of: text, width: width ?? self.width)
  }

  func paint(_ text: String, _ tone: Tone, bold: Bool = false) -> String {
    guard usesColour, !text.isEmpty else { return text }
    let prefix = bold ? "1;" : ""
    let code =
      switch tone {
      case .plain: bold ? "1" : ""
      case .strong: "1"
      case .good: prefix + "32"
      case .bad: prefix + "31"
      case .unknown: prefix + "33"
      case .muted: "2"
      }
    return code.isEmpty ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
