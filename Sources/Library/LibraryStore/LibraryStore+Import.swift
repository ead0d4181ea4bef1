internal import GRDB

extension LibraryStore {
  /// Imports an export of `ExportFormat`: adds new books and updates known ones.
  ///
  /// A book is known when the library has its ISBN or, if it has none or a new one, a work of its
  /// title and author (see `BookName`) that no other row is about. A new ISBN is added to the
  /// work's edition without one, else as a further edition. Rows with different ISBNs are different
  /// books, even of one title.
  ///
  /// An import that was interrupted, by an error or a crash, is completed by importing the same
  /// file again. The books that it had added are then known.
  ///
  /// Memory holds one batch of the file at a time. The import ends after `limit` books.
  ///
  /// - Throws: `malformedCSV` with line and column, `unreadable`, or the errors of `upsert`. The
  ///   batches before the malformed row are kept; with `.all` nothing is.
  @discardableResult
  public func importBooks(
    path: String, batch: InsertBatch = .books(100), malformedRows: MalformedRows = .stop,
    limit: Int = .max
  ) throws(LibraryError) -> ImportSummary {
    var export = try BookExport(path: path, malformedRows: malformedRows)
    var counts = ImportSummary()
    // A sequence cannot throw, so its rows carry the error into the transaction, which rolls back.
    let rows = sequence(state: false) { ended -> Result<NewBook, LibraryError>? in
      guard !ended, counts.books.inserted + counts.books.updated < limit else { return nil }
      do throws(LibraryError) {
        return try export.next().map { .success($0) }
      } catch {
        ended = true
        return .failure(error)
      }
    }
    var ledger = try write { try ImportLedger(in: $0) }
    let result = Result { () throws(LibraryError) in
      try inBatches(of: rows, batch: batch) { row, database in
        try add(row.get(), ofFile: path, &ledger, in: database, counting: &counts)
      }
    }
    // The temporary tables end with the connection at the latest, so this failure is ignored.
    try? write { try ledger.clear(in: $0) }
    try result.get()
    counts.withoutISBN = export.booksWithoutISBN
    counts.skipped = export.skipped
    counts.inWindows1252 = export.rowsInWindows1252
    return counts
  }

  /// Adds the book of a row unless an earlier row contained it.
  private func add(
    _ book: NewBook, ofFile file: String, _ ledger: inout ImportLedger, in database: Database,
    counting summary: inout ImportSummary
  ) throws {
    var book = book
    let name = BookName(title: book.title, author: book.author)
    let isNewName = try ledger.add(name, in: database)
    var workID: Int64?
    if let isbn = book.editions.first?.isbn, try ledger.add(isbn, in: database) {
      workID = try self.workID(of: isbn, in: database)
    } else {
      guard isNewName else {
        summary.repeated += 1
        return
      }
      if book.editions.first?.isbn != nil {
        book.editions[0].isbn = nil
        summary.conflicting += 1
      }
    }
    if workID == nil, let earlier = try ledger.earlierWork(name, ofFile: file, in: database) {
      workID = earlier
      try complete(&book.editions, ofWork: earlier, in: database)
    }
    guard let workID else {
      try insert(book, in: database)
      summary.books.inserted += 1
      return
    }
    try update(workID, to: book, in: database)
    try ledger.take(workID, in: database)
    summary.books.updated += 1
  }

  /// Gives the new ISBN of a book's only edition to the work's edition without one, if there is
  /// such an edition.
  private func complete(
    _ editions: inout [EditionDetails], ofWork workID: Int64, in database: Database
  ) throws {
    guard let isbn = editions.first?.isbn else { return }
    let unnumbered = try Self.editions(ofWork: workID, in: database)
      .filter { $0.details.isbn == nil }
    guard
      let edition = unnumbered.first(where: { $0.details.format == editions[0].format })
        ?? unnumbered.first
    else { return }
    // An export has no covers and qualities.
    editions[0].cover = edition.details.cover
    editions[0].dataQuality = edition.details.dataQuality
    var details = edition.details
    details.isbn = isbn
    try update(details, where: "id", is: edition.id, in: database)
  }
}
