internal import GRDB

/// The tables of a store; SCHEMA.md describes them.
enum Schema {
  /// The `application_id` of a store's file: "PfSt".
  static let applicationID: Int32 = 0x5066_5374

  /// The versions of the tables in order.
  ///
  /// A released version is never edited: each later change is registered as a new one.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      for tables in [runTables, comparisonTables, profileTables] { try db.execute(sql: tables) }
    }
    return migrator
  }

  static var current: String { migrator.migrations.last ?? "" }

  /// Marks a new file as a run store.
  ///
  /// The mark precedes the first table. Otherwise another process that opens the file while its
  /// tables are created would take it for the database of another program.
  static func claim(_ db: Database) throws {
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
  }

  enum Content: Equatable {
    case empty
    case current
    /// The tables are of a version that this program does not know.
    case unknown(version: String)
    case foreign
  }

  /// Looks at a database without changing it.
  static func content(of db: Database) throws -> Content {
    let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    if tables == 0 { return .empty }
    guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
      return .foreign
    }
    let applied = try migrator.appliedIdentifiers(db)
    if try migrator.hasBeenSuperseded(db) {
      let newest = applied.subtracting(migrator.migrations).max {
        ($0.count, $0) < ($1.count, $1)
      }
      return .unknown(version: newest ?? "")
    }
    // A process that died, or found the disk full, may leave a claimed file without tables.
    return try migrator.hasCompletedMigrations(db) ? .current : .empty
  }
}
