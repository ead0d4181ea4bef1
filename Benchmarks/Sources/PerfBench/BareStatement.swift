internal import GRDBSQLite

/// A bare SQLite statement, as the baseline for a store's queries.
final class BareStatement {
  private var database: OpaquePointer?
  private var statement: OpaquePointer?

  /// Opens a file for reading and prepares a statement with a number as its argument.
  init(path: String, sql: String) throws {
    guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
    else {
      throw BenchError(
        description:
          "cannot prepare '\(sql)' in '\(path)': \(String(cString: sqlite3_errmsg(database)))")
    }
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close(database)
  }

  /// Runs the statement, reads all columns of all rows, and returns the number of rows.
  func run(_ argument: Int64) -> Int {
    sqlite3_reset(statement)
    sqlite3_bind_int64(statement, 1, argument)
    var count = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      for column in 0..<sqlite3_column_count(statement) {
        // Reading as text copies neither texts nor numbers.
        _ = sqlite3_column_text(statement, column)
      }
      count += 1
    }
    sqlite3_reset(statement)
    return count
  }
}
