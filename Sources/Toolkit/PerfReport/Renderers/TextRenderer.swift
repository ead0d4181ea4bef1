internal import PerfModel

/// The renderer of documents for a terminal.
public struct TextRenderer: Sendable {
  let width: Int
  private let usesColour: Bool

  /// Creates a renderer that uses escape sequences for colours; the defaults are for files and pipes.
  public init(width: Int = 80, usesColour: Bool = false) {
    self.width = max(width, 40)
    self.usesColour = usesColour
  }

  /// Returns the document as lines, with a newline at the end.
  public func render(_ document: Document) -> String {
    document.blocks.map(render).filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private func render(_ block: Document.Block) -> String {
    switch block {
    case .verdict(let text, let tone):
      wrap(text).map { paint($0, tone, bold: true) }.joined(separator: "\n")
    case .facts(let facts): renderFacts(facts)
    case .table(let table): lines(of: table).joined(separator: "\n")
    case .paragraph(let text): wrap(text).joined(separator: "\n")
    case .warnings(let warnings): renderWarnings(warnings)
    }
  }

  private func renderFacts(_ facts: [Document.Fact]) -> String {
    let nameWidth = facts.map(\.name.count).max() ?? 0
    return facts.map { fact in
      let name = fact.name + String(repeating: " ", count: nameWidth - fact.name.count)
      let lines = wrap(fact.value, width: width - nameWidth - 2)
      let indent = String(repeating: " ", count: nameWidth + 2)
      return paint(name, .muted) + "  " + lines.joined(separator: "\n" + indent)
    }
    .joined(separator: "\n")
  }

  private func renderWarnings(_ warnings: [RunWarning]) -> String {
    guard !warnings.isEmpty else { return "" }
    let lines = warnings.flatMap { warning in
      wrap(warning.description, width: width - 4).enumerated().map { index, line in
        index == 0 ? paint("  ! ", .unknown) + line : "    " + line
      }
    }
    return ([paint("Warnings", .strong)] + lines).joined(separator: "\n")
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
