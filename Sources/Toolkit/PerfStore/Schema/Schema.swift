internal import GRDB

/// The versions of a store's tables; SCHEMA.md describes them.
enum Schema {
  /// What `PRAGMA application_id` says in our files: "PfSt".
  static let applicationID: Int32 = 0x5066_5374

  /// The migrations in order; a released one is never edited, a change is a new one.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1", migrate: createRuns)
    migrator.registerMigration("v2", migrate: createBaselinesAndSymbols)
    migrator.registerMigration("v3", migrate: addTimes)
    migrator.registerMigration("v4", migrate: addSignatures)
    migrator.registerMigration("v5", migrate: addMemory)
    migrator.registerMigration("v6", migrate: addComparisons)
    migrator.registerMigration("v7", migrate: addCertificates)
    migrator.registerMigration("v8-symbols", migrate: joinSymbols)
    migrator.registerMigration("v9-signposts", migrate: addSignposts)
    return migrator
  }

  /// The version that this program writes.
  static var current: String { migrator.migrations.last ?? "" }

  /// Marks a new file as ours.
  ///
  /// This comes before the first table, so that another process that opens the file while its tables
  /// are being made does not take it for another program's.
  static func claim(_ db: Database) throws {
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
  }

  /// What a file turns out to be.
  enum Content: Equatable {
    /// It has no tables yet.
    case nothing
    case current
    case older(String)
    case newer(String)
    /// It belongs to another program.
    case foreign
  }

  /// Looks at a database without changing it.
  static func content(of db: Database) throws -> Content {
    let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    if tables == 0 { return .nothing }
    guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
      return .foreign
    }
    let applied = try migrator.appliedIdentifiers(db)
    if try migrator.hasBeenSuperseded(db) {
      let newest = applied.subtracting(migrator.migrations).max {
        ($0.count, $0) < ($1.count, $1)
      }
      return .newer(newest ?? "")
    }
    if try migrator.hasCompletedMigrations(db) { return .current }
    // A process that died, or found the disk full, may have left ours without a single table.
    guard let version = try migrator.completedMigrations(db).last else { return .nothing }
    return .older(version)
  }
}
