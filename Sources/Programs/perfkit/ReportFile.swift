internal import PerfReport

/// Writes HTML reports.
enum ReportFile {
  static func write(_ summary: RunSummary, to folder: String, context: Context) throws -> String? {
    nil
  }
  static func write(
    _ document: ComparisonDocument, to folder: String, context: Context
  ) throws -> String? { nil }
}
