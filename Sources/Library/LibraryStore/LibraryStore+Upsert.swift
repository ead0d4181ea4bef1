internal import GRDB

/// The result of an upsert.
public struct UpsertSummary: Hashable, Sendable {
  /// Books that were new.
  public internal(set) var inserted = 0
  /// Books that existed and were updated.
  public internal(set) var updated = 0
}

extension LibraryStore {
  /// Adds new books and updates known ones.
  ///
  /// A book is known when the library has an edition with the same ISBN as any of its editions, or,
  /// if it has no ISBN, a work with its title and author. Updates cover the title, author,
  /// confidence, the editions with an ISBN and, if present, the user entry. Editions that the book
  /// does not mention stay.
  ///
  /// - Parameters:
  ///   - books: A sequence that is consumed during the writes.
  ///   - batch: The number of books per commit.
  /// - Returns: The numbers of added and updated books.
  /// - Throws: `readOnly`, `locked` or `diskFull`; the batches before the failed one are kept.
  /// - Complexity: O(log *n*) per book with the schema `indexed`, else O(*n*).
  @discardableResult
  public func upsert(
    _ books: some Sequence<NewBook>, batch: InsertBatch = .books(100)
  ) throws(LibraryError) -> UpsertSummary {
    var summary = UpsertSummary()
    try inBatches(of: books, batch: batch) { book, database in
      try upsert(book, in: database, counting: &summary)
    }
    return summary
  }

  func upsert(
    _ book: NewBook, in database: Database, counting summary: inout UpsertSummary
  ) throws {
    try checkText(book)
    guard let workID = try workID(of: book, in: database) else {
      try insert(book, in: database)
      summary.inserted += 1
      return
    }
    try database.cachedStatement(
      sql: "UPDATE work SET title = ?, author = ?, confidence = ? WHERE id = ?"
    ).execute(arguments: [book.title, book.author, book.confidence, workID])
    for edition in book.editions { try upsert(edition, ofWork: workID, in: database) }
    if let entry = book.userEntry { try set(entry, ofWork: workID, in: database) }
    summary.updated += 1
  }

  private func workID(of book: NewBook, in database: Database) throws -> Int64? {
    let numbers = book.editions.compactMap(\.isbn)
    for isbn in numbers {
      let statement = try database.cachedStatement(
        sql: "SELECT workID FROM edition WHERE isbn = ? LIMIT 1")
      if let id = try Int64.fetchOne(statement, arguments: [isbn.number]) { return id }
    }
    guard numbers.isEmpty else { return nil }
    let statement = try database.cachedStatement(
      sql: "SELECT id FROM work WHERE title = ? AND author = ? ORDER BY id LIMIT 1")
    return try Int64.fetchOne(statement, arguments: [book.title, book.author])
  }

  /// Updates or adds the edition with an ISBN; an edition without one is ignored.
  private func upsert(
    _ edition: EditionDetails, ofWork workID: Int64, in database: Database
  ) throws {
    guard let isbn = edition.isbn else { return }
    try update(edition, where: "isbn", is: isbn.number, in: database)
    if database.changesCount == 0 { try insert(edition, ofWork: workID, in: database) }
  }
}
