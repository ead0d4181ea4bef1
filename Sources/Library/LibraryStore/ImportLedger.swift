internal import GRDB

/// Remembers which books the rows of one import were about.
///
/// It is a temporary table: SQLite keeps what does not fit its cache in a file, so a file with
/// millions of rows takes no more memory than a small one. It is written in the same transactions as
/// the books, so it never knows one that was not committed.
struct ImportLedger {
  /// Tells imports of one connection apart.
  private let number: Int64

  /// Begins a ledger; outside of a transaction or within one.
  init(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TEMP TABLE IF NOT EXISTS importedKey (
          number INTEGER, key, PRIMARY KEY (number, key)
        ) WITHOUT ROWID
        """)
    number =
      try Int64.fetchOne(
        database, sql: "SELECT ifnull(max(number), 0) + 1 FROM importedKey") ?? 1
    // The next import takes another number even before this one has met a book.
    _ = try add("", in: database)
  }

  /// Adds an ISBN; returns whether it was not there yet.
  func add(_ isbn: ISBN13, in database: Database) throws -> Bool {
    try add(isbn.number, in: database)
  }

  /// Adds title and author; returns whether they were not there yet.
  func add(title: String, author: String, in database: Database) throws -> Bool {
    // The unit separator stands in no title.
    try add("\(title)\u{1F}\(author)", in: database)
  }

  /// Forgets everything.
  func clear(in database: Database) throws {
    try database.execute(sql: "DELETE FROM importedKey WHERE number = ?", arguments: [number])
  }

  private func add(_ key: some DatabaseValueConvertible, in database: Database) throws -> Bool {
    try database.cachedStatement(sql: "INSERT OR IGNORE INTO importedKey VALUES (?, ?)")
      .execute(arguments: [number, key])
    return database.changesCount > 0
  }
}
