internal import GRDB

extension Schema {
  /// Version 4: the whole names of functions.
  static func addSignatures(_ db: Database) throws {
    try db.execute(sql: "ALTER TABLE functions ADD COLUMN signature TEXT")
  }
}
