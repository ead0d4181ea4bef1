internal import GRDB

/// The migration that computes the stored scores of an older library's editions.
///
/// A table lists the editions without a score, and triggers add the editions that an older version
/// inserts or changes meanwhile. The migration therefore runs in small transactions, survives
/// interruptions, and leaves the library usable all the time.
enum ScoreMigration {
  private static let pending = "editionWithoutScore"

  /// Returns whether the migration has begun and is not complete.
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

  static func remaining(in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM \(pending)") ?? 0
  }

  /// Computes the scores of some editions and returns their number; fewer than `limit` at the end.
  static func step(limit: Int, in database: Database) throws -> Int {
    let selection = try database.cachedStatement(
      sql: """
        SELECT \(Edition.columns) FROM \(pending) JOIN edition USING (id) ORDER BY id LIMIT ?
        """)
    let update = try database.cachedStatement(
      sql: "UPDATE edition SET qualityScore = ? WHERE id = ?")
    var done = 0
    var last: Int64 = 0
    // The cursor reads neither the updated column nor rows that have been removed from the list.
    let rows = try Row.fetchCursor(selection, arguments: [limit])
    while let row = try rows.next() {
      let edition = Edition(row)
      try update.execute(arguments: [edition.details.qualityScore, edition.id])
      last = edition.id
      done += 1
    }
    // The list may still contain deleted editions, even beyond the last updated one.
    let isLast = done < limit
    try database.cachedStatement(sql: "DELETE FROM \(pending) WHERE id <= ? OR ?")
      .execute(arguments: [last, isLast])
    return done
  }

  /// Computes all remaining scores, and removes the list and its triggers.
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
