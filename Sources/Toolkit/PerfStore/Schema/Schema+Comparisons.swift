internal import GRDB

extension Schema {
  /// Version 6: comparisons that were measured in pairs, and what was decided by them.
  static func addComparisons(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE comparisons (
          key INTEGER PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          subject TEXT NOT NULL,
          started_ms INTEGER NOT NULL,
          design TEXT NOT NULL,
          is_finished INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX comparisons_by_subject ON comparisons (subject);

        CREATE TABLE comparison_legs (
          comparison INTEGER NOT NULL REFERENCES comparisons (key) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          base INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
          candidate INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
          PRIMARY KEY (comparison, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX comparison_legs_by_base ON comparison_legs (base);
        CREATE INDEX comparison_legs_by_candidate ON comparison_legs (candidate);

        CREATE TABLE decisions (
          number INTEGER PRIMARY KEY,
          comparison TEXT NOT NULL,
          decided_ms INTEGER NOT NULL,
          outcome TEXT NOT NULL,
          payload TEXT NOT NULL
        ) STRICT;
        CREATE INDEX decisions_by_comparison ON decisions (comparison);
        """)
  }
}
