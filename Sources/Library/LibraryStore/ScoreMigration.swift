internal import GRDB

/// Gives the editions of an older library their stored score.
///
/// The editions that still lack it are listed in a table, to which triggers add what the older version
/// inserts or changes meanwhile. So the work can be done in steps, each a transaction: whatever stops
/// it, the list says what is left, and the library can be used all the time.
enum ScoreMigration {
  private static let pending = "editionWithoutScore"

  /// Whether it has begun and has not been completed.
  static func hasBegun(in database: Database) throws -> Bool {
    try database.tableExists(pending)
  }

  /// Adds the column and lists all editions.
  static func begin(in database: Database) throws {
    try database.execute(
      sql: """
        ALTER TABLE edition ADD COLUMN qualityScore INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE \(pending) (id INTEGER PRIMARY KEY) STRICT;
        INSERT INTO \(pending) SELECT id FROM edition;
        CREATE TRIGGER \(pending)Insert AFTER INSERT ON edition BEGIN
          INSERT OR IGNORE INTO \(pending) VALUES (new.id);
        END;
        CREATE TRIGGER \(pending)Update
        AFTER UPDATE OF format, publicationDate, cover, dataQuality ON edition BEGIN
          INSERT OR IGNORE INTO \(pending) VALUES (new.id);
        END;
        """)
  }

  /// Returns how many editions still lack their score.
  static func remaining(in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM \(pending)") ?? 0
  }

  /// Gives some editions their score.
  ///
  /// - Parameters:
  ///   - limit: The most editions of this step.
  ///   - database: In a transaction.
  /// - Returns: How many were done; fewer than `limit` when none is left.
  /// - Throws: What SQLite says.
  static func step(limit: Int, in database: Database) throws -> Int {
    let selection = try database.cachedStatement(
      sql: """
        SELECT \(Edition.columns) FROM \(pending) JOIN edition USING (id) ORDER BY id LIMIT ?
        """)
    let update = try database.cachedStatement(
      sql: "UPDATE edition SET qualityScore = ? WHERE id = ?")
    var done = 0
    var last: Int64 = 0
    // The cursor reads neither the column that changes nor rows that have been taken off the list.
    let rows = try Row.fetchCursor(selection, arguments: [limit])
    while let row = try rows.next() {
      let edition = Edition(row)
      try update.execute(arguments: [edition.details.qualityScore, edition.id])
      last = edition.id
      done += 1
    }
    // Editions that were deleted meanwhile are still on the list, perhaps behind the last one.
    let isLast = done < limit
    try database.cachedStatement(sql: "DELETE FROM \(pending) WHERE id <= ? OR ?")
      .execute(arguments: [last, isLast])
    return done
  }

  /// Does all that is left and removes the list and its triggers.
  static func complete(in database: Database) throws {
    if try !hasBegun(in: database) { try begin(in: database) }
    while try step(limit: 1_000, in: database) == 1_000 {}
    try database.execute(
      sql: """
        DROP TRIGGER \(pending)Insert;
        DROP TRIGGER \(pending)Update;
        DROP TABLE \(pending);
        """)
  }
}
