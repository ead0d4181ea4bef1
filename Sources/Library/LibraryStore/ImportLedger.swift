internal import GRDB

/// The books that the rows of one import have mentioned so far.
///
/// It is a temporary table. SQLite moves the part beyond its cache into a file, so memory does not
/// grow with millions of rows. The ledger is written in the same transactions as the books, so it
/// contains only committed ones.
struct ImportLedger {
  /// The number that separates the imports of one connection.
  private let number: Int64

  /// Creates an empty ledger, inside or outside a transaction.
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
    // This entry makes the next import take another number even if this one has no book yet.
    _ = try add("", in: database)
  }

  /// Adds an ISBN and returns whether it was new.
  func add(_ isbn: ISBN13, in database: Database) throws -> Bool {
    try add(isbn.number, in: database)
  }

  /// Adds a title and author and returns whether they were new.
  func add(title: String, author: String, in database: Database) throws -> Bool {
    // No title contains the unit separator.
    try add("\(title)\u{1F}\(author)", in: database)
  }

  /// Removes all entries of the import.
  func clear(in database: Database) throws {
    try database.execute(sql: "DELETE FROM importedKey WHERE number = ?", arguments: [number])
  }

  private func add(_ key: some DatabaseValueConvertible, in database: Database) throws -> Bool {
    try database.cachedStatement(sql: "INSERT OR IGNORE INTO importedKey VALUES (?, ?)")
      .execute(arguments: [number, key])
    return database.changesCount > 0
  }
}
