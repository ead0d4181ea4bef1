internal import GRDB
internal import GRDBSQLite

/// The current row of a statement, read without a copy.
///
/// GRDB's `Row` makes a dictionary of column names and copies every value. For one row that takes
/// as long as SQLite takes to find it.
@safe struct StatementRow {
  private let statement: SQLiteStatement

  fileprivate init(_ statement: SQLiteStatement) { unsafe self.statement = statement }

  /// Returns a number; 0 for NULL.
  func integer(_ column: Int32) -> Int64 {
    // Safety: the statement has a current row while this value is in use, and SQLite returns NULL
    // for a missing column.
    unsafe sqlite3_column_int64(statement, column)
  }

  /// Returns a number; nil for NULL.
  func optionalInteger(_ column: Int32) -> Int64? {
    // Safety: as in `integer(_:)`.
    unsafe sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : integer(column)
  }

  /// Returns a text; nil for NULL.
  func optionalText(_ column: Int32) -> String? {
    // Safety: as in `integer(_:)`; SQLite terminates the text with a NUL and keeps it until the
    // next step.
    guard let text = unsafe sqlite3_column_text(statement, column) else { return nil }
    return unsafe String(cString: text)
  }

  func text(_ column: Int32) -> String { optionalText(column) ?? "" }
}

extension Database {
  /// Returns the first result of a statement with a number as its only argument.
  func first<Value>(
    sql: String, _ argument: Int64, _ read: (StatementRow) throws -> Value
  ) throws -> Value? {
    let statement = try unsafe cachedStatement(sql: sql).sqliteStatement
    // Safety: the statement belongs to this connection and this thread until the function returns,
    // and GRDB keeps it as long as the connection.
    defer { unsafe sqlite3_reset(statement) }
    unsafe sqlite3_bind_int64(statement, 1, argument)
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW: return try unsafe read(StatementRow(statement))
    case SQLITE_DONE: return nil
    case let code:
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
    }
  }
}
