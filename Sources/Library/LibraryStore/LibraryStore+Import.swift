internal import GRDB

extension LibraryStore {
  /// Imports a Goodreads export: adds new books and updates known ones.
  ///
  /// An import that was interrupted, by an error or a crash, is completed by importing the same
  /// file again. The books that it had added are then known.
  ///
  /// Memory holds one batch of the CSV file at a time.
  ///
  /// - Throws: `malformedCSV` with line and column, `unreadable`, or the errors of `upsert`. The
  ///   batches before the malformed row are kept; with `.all` nothing is.
  @discardableResult
  public func importGoodreads(
    path: String, batch: InsertBatch = .books(100), malformedRows: MalformedRows = .stop
  ) throws(LibraryError) -> ImportSummary {
    var export = try GoodreadsExport(path: path)
    var counts = ImportSummary()
    var skipped = ImportSummary()
    // A sequence cannot throw, so its rows carry the error into the transaction, which rolls back.
    let rows = sequence(state: false) { ended -> Result<NewBook, LibraryError>? in
      while !ended {
        do throws(LibraryError) {
          return try export.next().map { .success($0) }
        } catch {
          guard malformedRows == .skip, error.isConfinedToRow else {
            ended = true
            return .failure(error)
          }
          skipped.skip(error)
        }
      }
      return nil
    }
    let ledger = try write { try ImportLedger(in: $0) }
    let result = Result { () throws(LibraryError) in
      try inBatches(of: rows, batch: batch) { row, database in
        try add(row.get(), ledger, in: database, counting: &counts)
      }
    }
    // The temporary table ends with the connection at the latest, so this failure is ignored.
    try? write { try ledger.clear(in: $0) }
    try result.get()
    counts.withoutISBN = export.booksWithoutISBN
    counts.skipped = skipped.skipped
    counts.firstSkipped = skipped.firstSkipped
    return counts
  }

  /// Adds the book of a row unless an earlier row contained it.
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
  /// Whether the next row of the file can still be read.
  var isConfinedToRow: Bool {
    switch self {
    case .malformedCSV(_, _, _, .fieldCount), .malformedCSV(_, _, _, .value),
      .malformedCSV(_, _, _, .notUTF8), .malformedCSV(_, _, _, .nulByte):
      true
    default: false
    }
  }
}
