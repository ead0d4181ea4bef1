internal import GRDBSQLite

/// A statement of SQLite with nothing around it: the peer of a store's questions.
final class BareStatement {
  private var database: OpaquePointer?
  private var statement: OpaquePointer?

  /// Opens a file for reading and prepares a statement with one number as its argument.
  init(path: String, sql: String) throws {
    guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
    else {
      throw BenchError(
        description: "\(path): \(String(cString: sqlite3_errmsg(database))) in \(sql)")
    }
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close(database)
  }

  /// Runs it and reads all columns of all rows; returns how many rows there were.
  func run(_ argument: Int64) -> Int {
    sqlite3_reset(statement)
    sqlite3_bind_int64(statement, 1, argument)
    var count = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      for column in 0..<sqlite3_column_count(statement) {
        // Texts and numbers alike come without a copy.
        _ = sqlite3_column_text(statement, column)
      }
      count += 1
    }
    sqlite3_reset(statement)
    return count
  }
}
