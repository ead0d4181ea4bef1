internal import ArgumentParser
internal import PerfReport

/// The options of verbs that print a document.
struct OutputOptions: ParsableArguments {
  /// How a document is written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case markdown
    case csv
  }

  @Option(help: "How it is written.")
  var format = Format.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write to; - is standard output.", valueName: "file"))
  var output = "-"

  /// Writes a document in the chosen format; beside CSV, its warnings are said aside.
  ///
  /// - Parameters:
  ///   - document: For text, Markdown and CSV.
  ///   - json: What scripts get.
  ///   - csv: Makes the rows where they are more than the document's tables.
  ///   - global: Says whether colours are wanted.
  ///   - context: Where it is written.
  /// - Throws: `Failure` when the file cannot be written.
  func write(
    _ document: Document, json: JSONValue, csv: (() -> String)? = nil, global: GlobalOptions,
    context: Context
  ) throws {
    let text: String
    switch format {
    case .text:
      let isTerminal = output == "-"
      text = TextRenderer(
        width: context.width, usesColour: isTerminal && global.hasColour(context)
      ).render(document)
    case .json: text = json.text()
    case .markdown: text = MarkdownRenderer().render(document)
    case .csv:
      // The rows have no room for them.
      global.warn(document.warnings, context)
      text = csv?() ?? document.tables.map { CSVRenderer().render($0) }.joined(separator: "\n")
    }
    try context.write(text, to: output)
  }

  /// Writes a table alone; without rows all there is to say is its caption: how to get some.
  ///
  /// - Throws: `Failure` when the file cannot be written.
  func write(
    _ table: Table, titled title: String, global: GlobalOptions, context: Context
  ) throws {
    let block = table.groups.isEmpty ? Document.Block.paragraph(table.caption) : .table(table)
    try write(
      Document(title: title, blocks: [block]), json: table.json, global: global, context: context)
  }
}

extension Table {
  /// The rows as objects whose keys are the columns' keys.
  var json: JSONValue {
    .array(
      groups.flatMap { group in
        group.rows.map { row in
          var members = Dictionary(
            zip(columns.map(\.key), row.map { JSONValue.string($0.text) })
          ) { first, _ in first }
          if let title = group.title { members["group"] = .string(title) }
          return .object(members)
        }
      })
  }
}

extension Context {
  /// Columns of the terminal; 80 where there is none.
  var width: Int { variables["COLUMNS"].flatMap(Int.init) ?? console.width ?? 80 }

  /// Writes text to a file, whole or not at all, or to standard output for `-`.
  func write(_ text: String, to output: String) throws {
    guard output != "-" else {
      console.write(text.hasSuffix("\n") ? text : text + "\n")
      return
    }
    try DocumentFile.write(text, to: absolute(output))
  }
  /// Writes bytes as they are to a file, whole or not at all, or to standard output for `-`.
  func write(_ bytes: [UInt8], to output: String) throws {
    guard output != "-" else { return console.write(bytes) }
    try DocumentFile.write(bytes, to: absolute(output))
  }
}
