internal import GRDB

extension LibraryStore {
  /// Adds the books of a Goodreads export, and updates those that are known.
  ///
  /// An import that was stopped, by an error or with its process, is completed by importing the same
  /// file again: what it had added is then known.
  ///
  /// - Parameters:
  ///   - path: The CSV file. It is read as it is written: memory holds one batch.
  ///   - batch: How many books are committed together.
  ///   - malformedRows: What is done with a row that is malformed in itself.
  /// - Returns: What was added, updated and left out.
  /// - Throws: `malformedCSV` with line and column, `unreadable`, or what `upsert` throws. The
  ///   batches before the malformed row stay; with `.all` nothing does.
  @discardableResult
  public func importGoodreads(
    path: String, batch: InsertBatch = .books(100), malformedRows: MalformedRows = .stop
  ) throws(LibraryError) -> ImportSummary {
    var export = try GoodreadsExport(path: path)
    var summary = ImportSummary()
    // A sequence cannot throw, so its rows carry the error into the transaction, which undoes it.
    let rows = sequence(state: false) { ended -> Result<NewBook, LibraryError>? in
      while !ended {
        do throws(LibraryError) {
          return try export.next().map { .success($0) }
        } catch {
          guard malformedRows == .skip, error.isConfinedToRow else {
            ended = true
            return .failure(error)
          }
          summary.skip(error)
        }
      }
      return nil
    }
    let ledger = try write { try ImportLedger(in: $0) }
    var counts = ImportSummary()
    let result = Result { () throws(LibraryError) in
      try inBatches(of: rows, batch: batch) { row, database in
        try add(row.get(), ledger, in: database, counting: &counts)
      }
    }
    // It is gone with the connection at the latest, so a failure here is none of the import.
    try? write { try ledger.clear(in: $0) }
    try result.get()
    counts.withoutISBN = export.booksWithoutISBN
    counts.skipped = summary.skipped
    counts.firstSkipped = summary.firstSkipped
    return counts
  }

  /// Adds the book of a row, unless an earlier row was about it.
  private func add(
    _ book: NewBook, _ ledger: ImportLedger, in database: Database,
    counting summary: inout ImportSummary
  ) throws {
    var book = book
    let isNewName = try ledger.add(title: book.title, author: book.author, in: database)
    if let isbn = book.editions.first?.isbn, try ledger.add(isbn, in: database) {
      return try upsert(book, in: database, counting: &summary.books)
    }
    guard isNewName else {
      summary.repeated += 1
      return
    }
    if book.editions.first?.isbn != nil {
      book.editions[0].isbn = nil
      summary.conflicting += 1
    }
    try upsert(book, in: database, counting: &summary.books)
  }
}

extension LibraryError {
  /// Whether the next row of the file can be read in spite of it.
  var isConfinedToRow: Bool {
    guard case .malformedCSV(_, _, _, let problem) = self else { return false }
    return switch problem {
    case .fieldCount, .value, .notUTF8, .nulByte: true
    case .empty, .missingColumns, .repeatedColumn, .unclosedQuote, .strayQuote, .textAfterQuote,
      .rowTooLong:
      false
    }
  }
}
