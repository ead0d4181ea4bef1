internal import GRDB

/// The number of books per commit.
public enum InsertBatch: Hashable, Sendable {
  /// A number of books, at least 1.
  case books(Int)
  /// All books in one transaction.
  case all
}

/// The result of an upsert.
public struct UpsertSummary: Hashable, Sendable {
  /// Books that were new.
  public internal(set) var inserted = 0
  /// Books that existed and were updated.
  public internal(set) var updated = 0
}

extension LibraryStore {
  /// Adds books and returns their number.
  ///
  /// The sequence is consumed during the writes, so a lazy one needs memory for one batch.
  ///
  /// - Throws: `duplicateISBN` with the schema `indexed`, `readOnly`, `locked` or `diskFull`. The
  ///   batches before the failed one are kept.
  @discardableResult
  public func insert(
    _ books: some Sequence<NewBook>, batch: InsertBatch = .books(100)
  ) throws(LibraryError) -> Int {
    var count = 0
    try inBatches(of: books, batch: batch) { book, database in
      try insert(book, in: database)
      count += 1
    }
    return count
  }

  /// Applies a closure to each element, with one transaction per batch.
  func inBatches<Element>(
    of elements: some Sequence<Element>, batch: InsertBatch,
    apply body: (Element, Database) throws -> Void
  ) throws(LibraryError) {
    let size =
      switch batch {
      case .books(let count): count
      case .all: Int.max
      }
    precondition(size > 0, "a batch must have at least one book")
    var iterator = elements.makeIterator()
    var next = iterator.next()
    while next != nil {
      try write { database in
        var done = 0
        while done < size, let element = next {
          try body(element, database)
          done += 1
          next = iterator.next()
        }
      }
      if configuration.userEntry == .cached { entryCache.invalidateAll() }
    }
  }

  func insert(_ book: NewBook, in database: Database) throws {
    try checkText(book)
    try database.cachedStatement(
      sql: "INSERT INTO work (title, author, confidence) VALUES (?, ?, ?)"
    ).execute(arguments: [book.title, book.author, book.confidence])
    let workID = database.lastInsertedRowID
    for edition in book.editions { try insert(edition, ofWork: workID, in: database) }
    if let entry = book.userEntry { try insert(entry, ofWork: workID, in: database) }
  }

  func insert(_ edition: EditionDetails, ofWork workID: Int64, in database: Database) throws {
    let hasScore = configuration.schema >= .scored
    try database.cachedStatement(sql: hasScore ? Self.insertScored : Self.insertUnscored)
      .execute(arguments: edition.arguments(hasScore: hasScore, id: workID))
  }

  private static let insertUnscored = """
    INSERT INTO edition (isbn, format, publicationDate, cover, dataQuality, workID)
    VALUES (?, ?, ?, ?, ?, ?)
    """
  private static let insertScored = """
    INSERT INTO edition (isbn, format, publicationDate, cover, dataQuality, qualityScore, workID)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """

  func insert(_ entry: UserEntryDetails, ofWork workID: Int64, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO userEntry (status, rating, shelves, addedSeconds, workID)
        VALUES (?, ?, ?, ?, ?)
        """
    ).execute(arguments: entry.arguments + [workID])
  }

  // MARK: - Upsert

  /// Adds new books and updates known ones.
  ///
  /// A book is known when the library has an edition with the same ISBN as any of its editions, or,
  /// if it has no ISBN, a work with its title and author. Updates cover the title, author,
  /// confidence, the editions with an ISBN and, if present, the user entry. Editions that the book
  /// does not mention stay.
  ///
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

  private func upsert(
    _ book: NewBook, in database: Database, counting summary: inout UpsertSummary
  ) throws {
    guard let workID = try workID(of: book, in: database) else {
      try insert(book, in: database)
      summary.inserted += 1
      return
    }
    try update(workID, to: book, in: database)
    summary.updated += 1
  }

  /// Updates a work, its editions with an ISBN and, if present, the user entry.
  func update(_ workID: Int64, to book: NewBook, in database: Database) throws {
    try checkText(book)
    try database.cachedStatement(
      sql: "UPDATE work SET title = ?, author = ?, confidence = ? WHERE id = ?"
    ).execute(arguments: [book.title, book.author, book.confidence, workID])
    for edition in book.editions { try upsert(edition, ofWork: workID, in: database) }
    if let entry = book.userEntry { try set(entry, ofWork: workID, in: database) }
  }

  private func workID(of book: NewBook, in database: Database) throws -> Int64? {
    let numbers = book.editions.compactMap(\.isbn)
    for isbn in numbers {
      if let id = try workID(of: isbn, in: database) { return id }
    }
    guard numbers.isEmpty else { return nil }
    let statement = try database.cachedStatement(
      sql: "SELECT id FROM work WHERE title = ? AND author = ? ORDER BY id LIMIT 1")
    return try Int64.fetchOne(statement, arguments: [book.title, book.author])
  }

  func workID(of isbn: ISBN13, in database: Database) throws -> Int64? {
    let statement = try database.cachedStatement(
      sql: "SELECT workID FROM edition WHERE isbn = ? LIMIT 1")
    return try Int64.fetchOne(statement, arguments: [isbn.number])
  }

  /// Updates or adds the edition with an ISBN; an edition without one is ignored.
  private func upsert(
    _ edition: EditionDetails, ofWork workID: Int64, in database: Database
  ) throws {
    guard let isbn = edition.isbn else { return }
    try update(edition, where: "isbn", is: isbn.number, in: database)
    if database.changesCount == 0 { try insert(edition, ofWork: workID, in: database) }
  }

  // MARK: - Texts

  /// Rejects texts that SQLite would truncate.
  ///
  /// - Throws: `nulInText`.
  func checkText(_ book: NewBook) throws(LibraryError) {
    try check(book.title)
    try check(book.author)
    for edition in book.editions { try checkText(edition) }
    if let entry = book.userEntry { try checkText(entry) }
  }

  func checkText(_ edition: EditionDetails) throws(LibraryError) {
    try check(edition.publicationDate)
    if let cover = edition.cover { try check(cover) }
  }

  func checkText(_ entry: UserEntryDetails) throws(LibraryError) {
    try check(entry.status.rawValue)
    for shelf in entry.shelves { try check(shelf) }
  }

  private func check(_ text: String) throws(LibraryError) {
    if text.utf8.contains(0) { throw .nulInText(path: path, text: text) }
  }
}

extension EditionDetails {
  /// Returns ISBN, format, date, cover, data quality, possibly the score, and an ID, in this order.
  func arguments(hasScore: Bool, id: Int64) -> StatementArguments {
    hasScore
      ? [isbn?.number, format.rawValue, publicationDate, cover, dataQuality, qualityScore, id]
      : [isbn?.number, format.rawValue, publicationDate, cover, dataQuality, id]
  }
}

extension UserEntryDetails {
  /// Status, rating, shelves and time, in this order.
  var arguments: StatementArguments {
    [status.rawValue, rating, shelves.joined(separator: "\n"), addedSeconds]
  }
}
