internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport

/// The options of verbs that print a document.
struct OutputOptions: ParsableArguments {
  /// The format of a document.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case markdown
    case csv
  }

  @Option(help: "Print in this format.")
  var format = Format.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file; - is standard output.", valueName: "file"))
  var output = "-"

  /// Writes a document in the chosen format; with CSV, its warnings go to standard error.
  ///
  /// - Parameters:
  ///   - document: The document for text, Markdown and CSV.
  ///   - json: The value for JSON.
  ///   - csv: Returns the rows for CSV; nil to use the document's tables.
  ///   - short: Shorter documents for text; nil for the document.
  ///   - detail: The length of the text.
  ///   - global: The options of every verb.
  ///   - context: The context with the console.
  /// - Throws: `ReportError` if the file cannot be written.
  func write(
    _ document: Document, json: JSONValue, csv: (() -> String)? = nil, short: [Document]? = nil,
    detail: Detail = .all, global: GlobalOptions, context: Context
  ) throws {
    let text: String
    switch format {
    case .text:
      let isTerminal = output == "-"
      let renderer = TextRenderer(
        width: context.width, usesColour: isTerminal && global.hasColour(context), detail: detail)
      text = (short ?? [document]).map(renderer.render).joined(separator: "\n")
    case .json: text = json.text()
    case .markdown: text = MarkdownRenderer().render(document)
    case .csv:
      global.warn(document.warnings, context)
      text = csv?() ?? document.tables.map { CSVRenderer().render($0) }.joined(separator: "\n")
    }
    try context.write(text, to: output)
  }

  /// Draws a figure if the file has the name of a chart.
  ///
  /// - Parameters:
  ///   - figure: The figure.
  ///   - context: The context with the working directory.
  /// - Returns: Whether it was drawn.
  /// - Throws: `ReportError`.
  func draw(_ figure: @autoclosure () -> Figure, _ context: Context) throws -> Bool {
    guard let format = ChartFormat(path: output) else { return false }
    try ChartRenderer().draw(figure(), format: format, to: context.workspace.absolute(output))
    return true
  }

  /// Writes a table; a table without rows is replaced by its caption.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - second: A table for readers, which JSON and CSV omit; it may be empty.
  ///   - title: The title of the document.
  ///   - global: The options of every verb.
  ///   - context: The context with the console.
  /// - Throws: `ReportError` if the file cannot be written.
  func write(
    _ table: Table, and second: Table? = nil, titled title: String, global: GlobalOptions,
    context: Context
  ) throws {
    let block = table.groups.isEmpty ? Document.Block.paragraph(table.caption) : .table(table)
    let more = second.flatMap { $0.groups.isEmpty ? nil : Document.Block.table($0) }
    // A document has no paragraph in CSV, but an empty table has its header.
    let isTable = more != nil || table.groups.isEmpty
    let csv = isTable ? { CSVRenderer().render(table) } : nil
    try write(
      Document(title: title, blocks: [block] + [more].compactMap(\.self)), json: table.json,
      csv: csv, global: global, context: context)
  }

  /// Writes documents one after the other; as JSON a single object, or an array of several.
  ///
  /// - Parameters:
  ///   - documents: The documents; without any, nothing is written.
  ///   - detail: The length of the text.
  ///   - more: Documents that follow in the text.
  ///   - global: The options of every verb.
  ///   - context: The context with the console.
  /// - Throws: `ReportError` if the file cannot be written.
  func write<Content: ReportContent>(
    _ documents: [Content], detail: Detail, and more: [Document] = [], global: GlobalOptions,
    context: Context
  ) throws {
    guard !documents.isEmpty else { return }
    // The titles of comparisons contain commas.
    let separator = Content.self == RunDocument.self ? ", " : "; "
    try write(
      Document(
        title: documents.map(\.title).joined(separator: separator),
        blocks: documents.flatMap(\.document.blocks)),
      json: documents.count == 1 ? documents[0].json : .array(documents.map(\.json)),
      csv: { Content.csv(documents) }, short: documents.map { $0.document(detail) } + more,
      detail: detail, global: global, context: context)
  }
}
