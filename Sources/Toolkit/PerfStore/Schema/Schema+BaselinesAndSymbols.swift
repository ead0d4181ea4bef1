internal import GRDB

extension Schema {
  /// Version 2: named baselines, and the symbols that were looked up.
  static func createBaselinesAndSymbols(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE baselines (
          key INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          saved_ms INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE baseline_runs (
          baseline INTEGER NOT NULL REFERENCES baselines (key) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          run INTEGER NOT NULL REFERENCES runs (key) ON DELETE RESTRICT,
          PRIMARY KEY (baseline, position),
          UNIQUE (baseline, run)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX baseline_runs_by_run ON baseline_runs (run);

        CREATE TABLE symbol_modules (
          key INTEGER PRIMARY KEY,
          build_id TEXT NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE symbols (
          module INTEGER NOT NULL REFERENCES symbol_modules (key) ON DELETE CASCADE,
          address INTEGER NOT NULL,
          payload BLOB NOT NULL,
          PRIMARY KEY (module, address)
        ) STRICT, WITHOUT ROWID;
        """)
  }
}
