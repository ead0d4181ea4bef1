internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfReport

/// The document of a run or comparison, which has every form of a report.
protocol ReportContent {
  /// The kinds of charts that a report as pictures consists of.
  static var charts: [ChartKind] { get }
  /// The name of the report's file without its ending.
  var fileName: String { get }
  var title: String { get }
  var document: Document { get }
  func document(_ detail: Detail) -> Document
  var json: JSONValue { get }
  static func csv(_ documents: [Self]) -> String
  func html() throws(ReportError) -> String
  func chart(_ kind: ChartKind) throws(ReportError) -> Figure
}

extension RunDocument: ReportContent {
  static var charts: [ChartKind] { [.frames, .distribution, .memory, .cpu, .metrics] }

  var fileName: String { "\(run.scenario)-\(run.variant)" }

  var title: String { run.subject }

  static func csv(_ documents: [RunDocument]) -> String { CSVRenderer().render(documents) }

  func chart(_ kind: ChartKind) throws(ReportError) -> Figure { try figure(kind) }
}

extension ComparisonDocument: ReportContent {
  static var charts: [ChartKind] { [.comparison, .distribution, .memory, .cpu] }

  /// The report of two stored runs is named by their ids, so that it does not overwrite the report of
  /// a comparison of pairs, which contains their launches.
  var fileName: String {
    let (base, candidate) = (comparison.base, comparison.candidate)
    let before = "\(base.scenario)-\(base.variant)"
    return if comparison.pairing == nil {
      "\(before)-\(base.run)-to-\(candidate.variant)-\(candidate.run)"
    } else if base.variant == candidate.variant {
      "\(before)-\(base.run)-to-\(candidate.run)"
    } else {
      "\(before)-to-\(candidate.variant)"
    }
  }

  static func csv(_ documents: [ComparisonDocument]) -> String { CSVRenderer().render(documents) }

  func chart(_ kind: ChartKind) throws(ReportError) -> Figure { try figure(kind) }
}

/// Writes reports into a folder, which is made if it does not exist.
enum ReportPlace {
  /// The format of a report.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    /// One file that needs no network.
    case html
    /// The Markdown that `show` and `compare` print.
    case markdown
    /// A picture for each kind of chart that has data.
    case png
  }

  /// Writes a report as HTML, such as `Reports/scroll-1000-naive-to-optimised.html`.
  ///
  /// - Returns: The path, relative if the folder is.
  /// - Throws: `ReportError` if the file cannot be written.
  static func write(
    _ content: some ReportContent, to folder: String, context: Context
  ) throws -> String {
    let path = "\(folder)/\(content.fileName).html"
    try context.write(content.html(), to: path)
    return path
  }

  /// Writes a report as HTML beside the report of another run, whose name would be the same.
  ///
  /// - Throws: `ReportError` if the file cannot be written.
  static func write(
    _ run: RunDocument, beside others: String, context: Context
  ) throws -> String {
    let path = "\(others)/\(run.fileName).html"
    let isTaken = FileManager.default.fileExists(atPath: context.workspace.absolute(path))
    let free = isTaken ? "\(others)/\(run.fileName)-\(run.run.id).html" : path
    try context.write(run.html(), to: free)
    return free
  }

  /// Writes a report in any format.
  ///
  /// - Returns: The paths, relative if the folder is.
  /// - Throws: `ReportError` if a file cannot be written, or no chart has data.
  static func write(
    _ content: some ReportContent, as format: Format, to folder: String, context: Context
  ) throws -> [String] {
    switch format {
    case .html: return [try write(content, to: folder, context: context)]
    case .markdown:
      let path = "\(folder)/\(content.fileName).md"
      try context.write(MarkdownRenderer().render(content.document), to: path)
      return [path]
    case .png:
      return try draw(content, to: folder, context)
    }
  }

  /// Draws every kind with data; if there is none, throws the first kind's error.
  private static func draw<Content: ReportContent>(
    _ content: Content, to folder: String, _ context: Context
  ) throws -> [String] {
    let figures = Content.charts.compactMap { kind in
      (try? content.chart(kind)).map { (kind, $0) }
    }
    if figures.isEmpty { _ = try content.chart(Content.charts[0]) }
    return try figures.map { kind, figure in
      let path = "\(folder)/\(content.fileName)-\(kind.rawValue).png"
      try ChartRenderer().draw(figure, format: .png, to: context.workspace.absolute(path))
      return path
    }
  }
}
