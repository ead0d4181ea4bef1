internal import ArgumentParser
internal import PerfReport

/// The options of verbs that print a few lines about their effect.
struct ReplyOptions: ParsableArguments {
  /// The format of the lines.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
  }

  @Option(help: "Print in this format.")
  var format = Format.text

  /// Writes lines, or a value instead of them, to standard output.
  func write(_ text: String, json: JSONValue, _ context: Context) {
    context.console.write(format == .json ? json.text() : text)
  }

  /// Writes a value if JSON is chosen; the lines of such a verb go to standard error.
  func write(json: JSONValue, _ context: Context) {
    if format == .json { context.console.write(json.text()) }
  }

  /// Writes sentences as wide as the terminal, each from a new line, or a value instead of them.
  func write(_ sentences: [String], json: JSONValue, _ context: Context) {
    write(Self.lines(of: sentences, context), json: json, context)
  }

  /// Returns sentences in lines as wide as the terminal, each from a new line.
  static func lines(of sentences: [String], _ context: Context) -> String {
    let renderer = TextRenderer(width: context.width)
    return sentences.map {
      renderer.render(Document(title: "", blocks: [.verdict($0, .plain)]))
    }.joined()
  }
}
