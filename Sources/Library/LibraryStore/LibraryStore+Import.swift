/// What an import did.
public struct ImportSummary: Hashable, Sendable {
  /// Books that were new and books that were updated.
  public let books: UpsertSummary
  /// Books without a valid ISBN; they are told apart by title and author.
  public let withoutISBN: Int
}

extension LibraryStore {
  /// Adds the books of a Goodreads export, and updates those that are known.
  ///
  /// - Parameters:
  ///   - path: The CSV file. It is read as it is written: memory holds one batch.
  ///   - batch: How many books are committed together.
  /// - Returns: What was added and what was updated.
  /// - Throws: `malformedCSV` with line and column, `unreadable`, or what `upsert` throws. The
  ///   batches before the malformed row stay; with `.all` nothing does.
  @discardableResult
  public func importGoodreads(
    path: String, batch: InsertBatch = .books(100)
  ) throws(LibraryError) -> ImportSummary {
    var export = try GoodreadsExport(path: path)
    var summary = UpsertSummary()
    // A sequence cannot throw, so its rows carry the error into the transaction, which undoes it.
    let rows = sequence(state: false) { ended -> Result<NewBook, LibraryError>? in
      guard !ended else { return nil }
      do throws(LibraryError) {
        return try export.next().map { .success($0) }
      } catch {
        ended = true
        return .failure(error)
      }
    }
    try inBatches(of: rows, batch: batch) { row, database in
      try upsert(row.get(), in: database, counting: &summary)
    }
    return ImportSummary(books: summary, withoutISBN: export.booksWithoutISBN)
  }
}
