internal import GRDB

extension Schema {
  /// What was looked up of a module in one row, in place of one for each address.
  ///
  /// Earlier rows go: the symbols are looked up again.
  static func joinSymbols(_ db: Database) throws {
    try db.execute(
      sql: """
        DROP TABLE symbols;
        DROP TABLE symbol_modules;

        CREATE TABLE module_symbols (
          key INTEGER PRIMARY KEY,
          build_id TEXT NOT NULL UNIQUE,
          payload BLOB NOT NULL
        ) STRICT;
        """)
  }
}
