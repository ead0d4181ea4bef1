internal import GRDB

/// The versions of the database schema, oldest first.
public enum LibrarySchema: Hashable, Sendable, CaseIterable, Comparable {
  /// Works, editions and user entries without any index but the primary keys.
  case original
  /// A stored quality score per edition.
  case scored
  /// Indexes for the order of titles, the best edition, the user entry and the ISBN.
  case indexed
  /// A full-text index of titles and authors.
  case searchable

  /// The name of the schema's migration, which never changes once released.
  var migration: String {
    switch self {
    case .original: "1 works, editions, user entries"
    case .scored: "2 stored quality score"
    case .indexed: "3 indexes"
    case .searchable: "4 full text"
    }
  }

  /// The application ID ("LIBR") of this module's databases, which protects all others from
  /// changes.
  static let applicationID: Int32 = 0x4C49_4252

  /// The migrations from any schema to any later one.
  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration(original.migration, migrate: createTables)
    migrator.registerMigration(scored.migration, migrate: ScoreMigration.complete)
    migrator.registerMigration(indexed.migration, migrate: createIndexes)
    migrator.registerMigration(searchable.migration, migrate: createFullText)
    return migrator
  }()

  private static func createTables(in database: Database) throws {
    try database.execute(
      sql: """
        PRAGMA application_id = \(applicationID);
        CREATE TABLE work (
          id INTEGER PRIMARY KEY,
          title TEXT NOT NULL,
          author TEXT NOT NULL,
          confidence REAL NOT NULL
        ) STRICT;
        CREATE TABLE edition (
          id INTEGER PRIMARY KEY,
          workID INTEGER NOT NULL REFERENCES work(id) ON DELETE CASCADE,
          isbn INTEGER,
          format TEXT NOT NULL,
          publicationDate TEXT NOT NULL,
          cover TEXT,
          dataQuality INTEGER
        ) STRICT;
        CREATE TABLE userEntry (
          id INTEGER PRIMARY KEY,
          workID INTEGER NOT NULL REFERENCES work(id) ON DELETE CASCADE,
          status TEXT NOT NULL,
          rating INTEGER NOT NULL,
          shelves TEXT NOT NULL,
          addedSeconds INTEGER NOT NULL
        ) STRICT;
        """)
  }

  /// Adds the indexes.
  ///
  /// Older schemas allowed duplicates of values that are unique from now on. The first one is kept:
  /// a work's first user entry, and the ISBN of the first edition that has it.
  private static func createIndexes(in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM userEntry
          WHERE id NOT IN (SELECT min(id) FROM userEntry GROUP BY workID);
        UPDATE edition SET isbn = NULL
          WHERE isbn IS NOT NULL
            AND id NOT IN (SELECT min(id) FROM edition WHERE isbn IS NOT NULL GROUP BY isbn);
        CREATE INDEX workByTitle ON work (title, author);
        CREATE INDEX editionByScore ON edition (workID, qualityScore DESC, id, cover);
        CREATE UNIQUE INDEX editionByISBN ON edition (isbn);
        CREATE UNIQUE INDEX userEntryByWork ON userEntry (workID);
        """)
  }

  /// Adds the full-text index and the triggers that update it.
  ///
  /// The index reads the texts from the table of works instead of copying them. Prefixes of up to
  /// three letters have separate indexes, because they are typed first and match most.
  private static func createFullText(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE VIRTUAL TABLE workText USING fts5 (
          title, author, content = 'work', content_rowid = 'id',
          tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
        );
        INSERT INTO workText (workText) VALUES ('rebuild');
        CREATE TRIGGER workTextInsert AFTER INSERT ON work BEGIN
          INSERT INTO workText (rowid, title, author) VALUES (new.id, new.title, new.author);
        END;
        CREATE TRIGGER workTextDelete AFTER DELETE ON work BEGIN
          INSERT INTO workText (workText, rowid, title, author)
            VALUES ('delete', old.id, old.title, old.author);
        END;
        CREATE TRIGGER workTextUpdate AFTER UPDATE OF title, author ON work
        WHEN old.title <> new.title OR old.author <> new.author BEGIN
          INSERT INTO workText (workText, rowid, title, author)
            VALUES ('delete', old.id, old.title, old.author);
          INSERT INTO workText (rowid, title, author) VALUES (new.id, new.title, new.author);
        END;
        """)
  }
}
