/// What an import did.
public struct ImportSummary: Hashable, Sendable {
  /// Books that were new and books that were updated.
  public internal(set) var books = UpsertSummary()
  /// Books without a valid ISBN; they are told apart by title and author.
  public internal(set) var withoutISBN = 0
  /// Rows about a book that an earlier row of the file was about; the first one counts.
  public internal(set) var repeated = 0
  /// Books whose ISBN an earlier row of the file gave to another book; they are in the library
  /// without it, told apart by title and author.
  public internal(set) var conflicting = 0
  /// Rows that were left out because they are malformed.
  public internal(set) var skipped = 0
  /// Why and where, of the first of them.
  public internal(set) var firstSkipped: [LibraryError] = []

  /// The most errors that `firstSkipped` keeps.
  static let skippedLimit = 20

  mutating func skip(_ error: LibraryError) {
    skipped += 1
    if firstSkipped.count < Self.skippedLimit { firstSkipped.append(error) }
  }
}

/// What an import does with a row that is malformed in itself.
public enum MalformedRows: String, Hashable, Sendable, CaseIterable {
  /// It stops there with an error.
  case stop
  /// It leaves the row out and counts it.
  ///
  /// A quote at the wrong place still stops it: nobody knows where that row ends.
  case skip
}
