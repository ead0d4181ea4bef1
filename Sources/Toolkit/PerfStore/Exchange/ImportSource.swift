internal import GRDB
internal import PerfModel

/// A store that somebody sent: opened without changing it, and checked before anything is taken of it.
public struct ImportSource {
  /// Where it lies.
  let path: String
  /// What it holds; opened for reading.
  let store: RunStore

  /// Opens and checks a file.
  ///
  /// - Parameter path: A file that `RunStore.export(to:runs:including:)` wrote, or any store.
  /// - Throws: `StoreError.notImportable` for a file that is broken, newer or no store, or `locked`.
  public init(path: String) throws(StoreError) {
    let file = StoreFile(path: path)
    self.path = file.path
    do {
      _ = try file.prepareForReading()
      store = try RunStore(file, access: .reading, isWritable: false, timeout: .seconds(5))
    } catch {
      throw Self.refusal(error, path: file.path)
    }
    do {
      try check()
    } catch {
      throw Self.refusal(error, path: file.path)
    }
  }

  /// Looks for everything by which a file could make us do something else than read rows.
  private func check() throws(StoreError) {
    let expected = try Self.tables(of: RunStore.inMemory())
    let (tables, problems) = try store.read { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
      return (
        try Self.tables(of: db),
        try String.fetchAll(db, sql: "PRAGMA quick_check(1)").filter { $0 != "ok" }
          + Row.fetchAll(db, sql: "PRAGMA foreign_key_check").prefix(1).map { _ in
            "a row belongs to nothing"
          }
          + String.fetchAll(
            db,
            sql: "SELECT 'a signal is ' || signal FROM iterations WHERE abs(signal) > 255 LIMIT 1")
      )
    }
    guard tables == expected else {
      throw .damaged(path: store.path, detail: "its tables are not those of a run store")
    }
    if let problem = problems.first { throw .damaged(path: store.path, detail: problem) }
  }

  private static func tables(of store: RunStore) throws(StoreError) -> Set<[String]> {
    try store.read { try tables(of: $0) }
  }

  /// All tables, indexes, views and triggers with what made them; the list of versions is GRDB's.
  private static func tables(of db: Database) throws -> Set<[String]> {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT type, name, ifnull(sql, '') FROM sqlite_master
        WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name != 'grdb_migrations'
        """)
    return Set(rows.map { row -> [String] in [row[0], row[1], row[2]] })
  }

  /// Says of a file to be taken in what a store says of itself.
  static func refusal(_ error: StoreError, path: String) -> StoreError {
    switch error {
    case .locked, .notImportable, .differentContent, .diskFull: error
    case .missing: .notImportable(path: path, cause: "there is no such file, or it is empty")
    case .notADatabase: .notImportable(path: path, cause: "it is no database")
    case .notAStore: .notImportable(path: path, cause: "it is a database of another program")
    case .unknownSchema(_, let found, let known):
      .notImportable(
        path: path,
        cause:
          "its schema is \(found), and this perfkit knows \(known); use the perfkit that wrote it")
    case .notReadable(_, let cause): .notImportable(path: path, cause: cause)
    case .damaged(_, let detail): .notImportable(path: path, cause: "it is damaged: \(detail)")
    default: .notImportable(path: path, cause: "\(error)")
    }
  }
}
