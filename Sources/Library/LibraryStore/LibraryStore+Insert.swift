internal import GRDB

/// The number of books per commit.
public enum InsertBatch: Hashable, Sendable {
  /// A number of books, at least 1.
  case books(Int)
  /// All books in one transaction.
  case all
}

extension LibraryStore {
  /// Adds books.
  ///
  /// - Parameters:
  ///   - books: A sequence that is consumed during the writes, so a lazy one needs memory for one
  ///     batch.
  ///   - batch: The number of books per commit.
  /// - Returns: The number of added books.
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
    let arguments: StatementArguments = [
      workID, edition.isbn?.number, edition.format.rawValue, edition.publicationDate,
      edition.cover, edition.dataQuality,
    ]
    if configuration.schema == .original {
      try database.cachedStatement(
        sql: """
          INSERT INTO edition (workID, isbn, format, publicationDate, cover, dataQuality)
          VALUES (?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: arguments)
    } else {
      try database.cachedStatement(
        sql: """
          INSERT INTO edition
            (workID, isbn, format, publicationDate, cover, dataQuality, qualityScore)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: arguments + [edition.qualityScore])
    }
  }

  func insert(_ entry: UserEntryDetails, ofWork workID: Int64, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO userEntry (status, rating, shelves, addedSeconds, workID)
        VALUES (?, ?, ?, ?, ?)
        """
    ).execute(arguments: entry.arguments + [workID])
  }
}

extension UserEntryDetails {
  /// Status, rating, shelves and time, in this order.
  var arguments: StatementArguments {
    [status.rawValue, rating, shelves.joined(separator: "\n"), addedSeconds]
  }
}
