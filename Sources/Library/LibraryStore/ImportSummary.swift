/// The result of an import.
public struct ImportSummary: Hashable, Sendable {
  /// The numbers of new and updated books.
  public internal(set) var books = UpsertSummary()
  /// Books without a valid ISBN, which are identified by title and author.
  public internal(set) var withoutISBN = 0
  /// Rows that repeat the book of an earlier row; the first row counts.
  public internal(set) var repeated = 0
  /// Books whose ISBN belongs to another book of an earlier row, which are stored without it.
  public internal(set) var conflicting = 0
  /// Malformed rows that were skipped.
  public internal(set) var skipped = SkippedRows()
  /// Rows that were not UTF-8 and were read as Windows-1252.
  public internal(set) var inWindows1252 = 0
}

/// The treatment of malformed rows in an import.
public enum MalformedRows: String, Hashable, Sendable, CaseIterable {
  /// The import stops with an error at the first one.
  case stop
  /// The import skips and counts them.
  case skip
}

/// The malformed rows of an export: their number and the first ones.
public struct SkippedRows: Hashable, Sendable {
  /// The number of all malformed rows.
  public private(set) var count = 0
  /// The first malformed rows, at most 20.
  public private(set) var first: [SkippedRow] = []

  /// The largest number of rows in `first`.
  static let limit = 20

  mutating func add(_ row: SkippedRow) {
    count += 1
    if first.count < Self.limit { first.append(row) }
  }
}

/// A malformed row of an export.
public struct SkippedRow: Hashable, Sendable, CustomStringConvertible {
  /// The row's number as spreadsheets count, in which the header is 1.
  public let number: Int
  /// The line of the problem, from 1; a row can have several lines.
  public let line: Int
  /// The character of the problem in its line, from 1.
  public let column: Int
  /// The reason.
  public let problem: CSVProblem

  /// The place and the reason.
  public var description: String { "row \(number), line \(line):\(column): \(problem)" }
}
