internal import GRDB

extension Schema {
  /// Version 3: what places frames, phases and signposts beside samples, and whose files the
  /// functions come from.
  static func addTimes(_ db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE iterations ADD COLUMN began_ns INTEGER;

        CREATE TABLE spans (
          iteration INTEGER PRIMARY KEY REFERENCES iterations (key) ON DELETE CASCADE,
          spans INTEGER NOT NULL,
          data BLOB NOT NULL
        ) STRICT;

        CREATE TABLE profile_modules (
          run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          name TEXT NOT NULL,
          path TEXT NOT NULL,
          build_id TEXT NOT NULL,
          PRIMARY KEY (run, position)
        ) STRICT, WITHOUT ROWID;
        """)
  }
}
