internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport

/// Writes reports into a folder.
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

  /// Writes the report of a run as HTML, such as `Reports/scroll-1000-optimised.html`.
  ///
  /// - Parameters:
  ///   - summary: The run.
  ///   - folder: The folder, which is made if it does not exist.
  ///   - context: The context with the working directory.
  /// - Returns: The path, relative if the folder is.
  /// - Throws: `ReportError` if the file cannot be written.
  static func write(
    _ summary: RunSummary, to folder: String, context: Context
  ) throws -> String {
    try write(summary.document.html(), "\(folder)/\(name(of: summary.run))", context)
  }

  /// Writes the report of a comparison as HTML, such as
  /// `Reports/scroll-1000-naive-against-optimised.html`.
  ///
  /// - Parameters:
  ///   - document: The comparison.
  ///   - folder: The folder, which is made if it does not exist.
  ///   - context: The context with the working directory.
  /// - Returns: The path, relative if the folder is.
  /// - Throws: `ReportError` if the file cannot be written.
  static func write(
    _ document: ComparisonDocument, to folder: String, context: Context
  ) throws -> String {
    try write(document.html(), "\(folder)/\(name(of: document.comparison))", context)
  }

  /// Writes the report of a run in any format.
  ///
  /// - Parameters:
  ///   - summary: The run.
  ///   - format: The format.
  ///   - folder: The folder, which is made if it does not exist.
  ///   - context: The context with the working directory.
  /// - Returns: The paths, relative if the folder is.
  /// - Throws: `ReportError` if a file cannot be written, or no chart has data.
  static func write(
    _ summary: RunSummary, as format: Format, to folder: String, context: Context
  ) throws -> [String] {
    let (document, stem) = (summary.document, "\(folder)/\(name(of: summary.run))")
    return switch format {
    case .html: [try write(summary, to: folder, context: context)]
    case .markdown: [try write(document.document, stem, context)]
    case .png:
      try draw([.frames, .distribution, .memory, .cpu, .metrics], stem, context) {
        kind throws(ReportError) in try document.figure(kind)
      }
    }
  }

  /// Writes the report of a comparison in any format.
  ///
  /// - Parameters:
  ///   - document: The comparison.
  ///   - format: The format.
  ///   - folder: The folder, which is made if it does not exist.
  ///   - context: The context with the working directory.
  /// - Returns: The paths, relative if the folder is.
  /// - Throws: `ReportError` if a file cannot be written, or no chart has data.
  static func write(
    _ document: ComparisonDocument, as format: Format, to folder: String, context: Context
  ) throws -> [String] {
    let stem = "\(folder)/\(name(of: document.comparison))"
    return switch format {
    case .html: [try write(document, to: folder, context: context)]
    case .markdown: [try write(document.document, stem, context)]
    case .png:
      try draw([.comparison, .distribution, .memory, .cpu], stem, context) {
        kind throws(ReportError) in try document.figure(kind)
      }
    }
  }

  private static func write(_ html: String, _ stem: String, _ context: Context) throws -> String {
    let path = "\(stem).html"
    try context.write(html, to: path)
    return path
  }

  private static func write(
    _ document: Document, _ stem: String, _ context: Context
  ) throws -> String {
    let path = "\(stem).md"
    try context.write(MarkdownRenderer().render(document), to: path)
    return path
  }

  /// Draws every kind with data; if there is none, throws the first kind's error.
  private static func draw(
    _ kinds: [ChartKind], _ stem: String, _ context: Context,
    figure: (ChartKind) throws(ReportError) -> Figure
  ) throws -> [String] {
    let figures = kinds.compactMap { kind in (try? figure(kind)).map { (kind, $0) } }
    if figures.isEmpty { _ = try figure(kinds[0]) }
    return try figures.map { kind, figure in
      let path = "\(stem)-\(kind.rawValue).png"
      try ChartRenderer().draw(figure, format: .png, to: context.workspace.absolute(path))
      return path
    }
  }

  private static func name(of run: Run) -> String { name(run.scenario, run.variant) }

  /// Returns the name of a comparison's report.
  ///
  /// The report of two stored runs is named by their ids, so that it does not overwrite the report of
  /// a comparison of pairs, which contains their launches.
  private static func name(of comparison: Comparison) -> String {
    let (base, candidate) = (comparison.base, comparison.candidate)
    let before = name(base.scenario, base.variant)
    return if comparison.pairing == nil {
      "\(before)-\(base.run)-against-\(candidate.variant)-\(candidate.run)"
    } else if base.variant == candidate.variant {
      "\(before)-\(base.run)-against-\(candidate.run)"
    } else {
      "\(before)-against-\(candidate.variant)"
    }
  }

  private static func name(_ scenario: String, _ variant: String) -> String {
    "\(scenario)-\(variant)"
  }
}
