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
  public internal(set) var skipped = 0
  /// The first errors of skipped rows.
  public internal(set) var firstSkipped: [LibraryError] = []

  /// The largest number of errors in `firstSkipped`.
  static let skippedLimit = 20

  mutating func skip(_ error: LibraryError) {
    skipped += 1
    if firstSkipped.count < Self.skippedLimit { firstSkipped.append(error) }
  }
}

/// The treatment of malformed rows in an import.
public enum MalformedRows: String, Hashable, Sendable, CaseIterable {
  /// The import stops with an error.
  case stop
  /// The import skips and counts the row, unless a misplaced quote hides the row's end.
  case skip
}
