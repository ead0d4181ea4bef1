internal import GRDB

/// The books that the rows of one import have mentioned so far, and the names of the works that the
/// library contained before.
///
/// It is two temporary tables. SQLite moves the part beyond its cache into a file, so memory does
/// not grow with millions of rows. The ledger is written in the same transactions as the books, so
/// it contains only committed ones.
struct ImportLedger {
  /// The number that separates the imports of one connection.
  private let number: Int64
  private let hasEarlierWorks: Bool
  /// Whether the works whose ISBNs occur in the file have been taken.
  private var hasReadFile = false

  /// Creates a ledger without rows, inside or outside a transaction.
  ///
  /// - Complexity: O(*n* log *n*) for *n* works in the library.
  init(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TEMP TABLE IF NOT EXISTS importedKey (
          number INTEGER, key, PRIMARY KEY (number, key)
        ) WITHOUT ROWID;
        CREATE TEMP TABLE IF NOT EXISTS earlierWork (
          number INTEGER, name TEXT, hasISBN INTEGER, workID INTEGER,
          PRIMARY KEY (number, name, hasISBN, workID)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS temp.earlierWorkByID ON earlierWork (number, workID);
        """)
    hasEarlierWorks = try Row.fetchOne(database, sql: "SELECT 1 FROM work LIMIT 1") != nil
    number =
      try Int64.fetchOne(
        database, sql: "SELECT ifnull(max(number), 0) + 1 FROM importedKey") ?? 1
    // This entry makes the next import take another number even if this one has no book yet.
    _ = try add("", in: database)
    if hasEarlierWorks { try addEarlierWorks(in: database) }
  }

  private func addEarlierWorks(in database: Database) throws {
    let insertion = try database.cachedStatement(sql: "INSERT INTO earlierWork VALUES (?, ?, ?, ?)")
    let works = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, title, author, id IN (SELECT workID FROM edition WHERE isbn IS NOT NULL)
        FROM work
        """)
    while let work = try works.next() {
      let name = BookName(title: work[1], author: work[2])
      try insertion.execute(arguments: [number, name.key, work[3] as Bool, work[0] as Int64])
    }
  }

  /// Adds an ISBN and returns whether it was new.
  func add(_ isbn: ISBN13, in database: Database) throws -> Bool {
    try add(isbn.number, in: database)
  }

  /// Adds a name and returns whether it was new.
  func add(_ name: BookName, in database: Database) throws -> Bool {
    try add(name.key, in: database)
  }

  /// Returns the earlier work of a name that no row of the file is about; one without an ISBN comes
  /// first.
  ///
  /// - Complexity: The first answer of a work with an ISBN reads the whole file, because a later row
  ///   may contain that ISBN.
  mutating func earlierWork(
    _ name: BookName, ofFile path: String, in database: Database
  ) throws -> Int64? {
    guard hasEarlierWorks else { return nil }
    let statement = try database.cachedStatement(
      sql: """
        SELECT workID, hasISBN FROM earlierWork WHERE number = ? AND name = ?
        ORDER BY hasISBN, workID LIMIT 1
        """)
    guard let work = try Row.fetchOne(statement, arguments: [number, name.key]) else { return nil }
    if work[1] as Bool, !hasReadFile {
      try takeWorks(ofFile: path, in: database)
      hasReadFile = true
      return try earlierWork(name, ofFile: path, in: database)
    }
    return work[0]
  }

  /// Records that rows are about the earlier works whose ISBNs the file contains.
  private func takeWorks(ofFile path: String, in database: Database) throws {
    let statement = try database.cachedStatement(
      sql: """
        DELETE FROM earlierWork
        WHERE number = ? AND workID IN (SELECT workID FROM edition WHERE isbn = ?)
        """)
    var export = try BookExport(path: path, malformedRows: .skip)
    while let book = try export.next() {
      guard let isbn = book.editions.first?.isbn else { continue }
      try statement.execute(arguments: [number, isbn.number])
    }
  }

  /// Records that a row is about an earlier work.
  func take(_ workID: Int64, in database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM earlierWork WHERE number = ? AND workID = ?")
      .execute(arguments: [number, workID])
  }

  /// Removes all entries of the import.
  func clear(in database: Database) throws {
    for table in ["importedKey", "earlierWork"] {
      try database.execute(sql: "DELETE FROM \(table) WHERE number = ?", arguments: [number])
    }
  }

  private func add(_ key: some DatabaseValueConvertible, in database: Database) throws -> Bool {
    try database.cachedStatement(sql: "INSERT OR IGNORE INTO importedKey VALUES (?, ?)")
      .execute(arguments: [number, key])
    return database.changesCount > 0
  }
}
