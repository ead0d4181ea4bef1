internal import GRDB
internal import PerfModel

/// A store from an untrusted file, opened without changing it and checked before it is imported.
public struct ImportSource {
  let path: String
  let store: RunStore

  /// Opens and checks a file of `RunStore.export(to:runs:including:)`, or any store.
  ///
  /// - Throws: `StoreError.notImportable` for a file that is damaged, of an unknown version or no
  ///   store; `locked`.
  public init(path: String) throws(StoreError) {
    let file = StoreFile(path: path)
    self.path = file.path
    do {
      _ = try file.prepareForReading()
      store = try RunStore(file, access: .reading, isWritable: false, timeout: .seconds(5))
      try check()
    } catch {
      throw Self.refusal(error, path: file.path)
    }
  }

  /// Checks for anything that could execute code or break the reading of rows.
  private func check() throws(StoreError) {
    let expected = try RunStore.inMemory().read { try Self.tables(of: $0) }
    let (tables, problems) = try store.read { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
      return (
        try Self.tables(of: db),
        try String.fetchAll(db, sql: "PRAGMA quick_check(1)").filter { $0 != "ok" }
          + Row.fetchAll(db, sql: "PRAGMA foreign_key_check").prefix(1).map { _ in
            "a row refers to a missing row"
          }
          + String.fetchAll(
            db,
            sql: "SELECT 'a signal is ' || signal FROM iterations WHERE abs(signal) > 255 LIMIT 1")
      )
    }
    guard tables == expected else {
      throw .damaged(path: store.path, detail: "its tables differ from a run store's")
    }
    if let problem = problems.first { throw .damaged(path: store.path, detail: problem) }
  }

  /// Returns all tables, indexes, views and triggers with their SQL, without GRDB's versions.
  private static func tables(of db: Database) throws -> Set<[String]> {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT type, name, ifnull(sql, '') FROM sqlite_master
        WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name != 'grdb_migrations'
        """)
    return Set(try rows.map { row in try (0..<3).map { try row.decode(String.self, atIndex: $0) } })
  }

  /// Converts an error about a store to an error about a file that is imported.
  static func refusal(_ error: StoreError, path: String) -> StoreError {
    switch error {
    case .locked, .notImportable, .differentContent, .diskFull: error
    case .missing: .notImportable(path: path, cause: "the file does not exist or is empty")
    case .notADatabase: .notImportable(path: path, cause: "it is not a database")
    case .notAStore: .notImportable(path: path, cause: "it is the database of another program")
    case .unknownSchema(_, let found, let known):
      .notImportable(
        path: path,
        cause:
          "its schema is \(found), and this perfkit knows only \(known). Use the perfkit that wrote it"
      )
    case .notReadable(_, let cause): .notImportable(path: path, cause: cause)
    case .damaged(_, let detail): .notImportable(path: path, cause: "it is damaged: \(detail)")
    default: .notImportable(path: path, cause: "\(error)")
    }
  }
}
