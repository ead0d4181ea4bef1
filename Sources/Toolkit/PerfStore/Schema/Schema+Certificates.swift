internal import GRDB

extension Schema {
  /// What selftests found of the noise of machines.
  static func addCertificates(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE certificates (
          key INTEGER PRIMARY KEY,
          machine TEXT NOT NULL,
          certified_ms INTEGER NOT NULL,
          payload TEXT NOT NULL
        ) STRICT;
        CREATE INDEX certificates_by_machine ON certificates (machine, certified_ms);
        """)
  }
}
