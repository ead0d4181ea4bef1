internal import CPostgres

/// The rows that a statement returned, in binary format: numbers must be selected as text.
final class Rows {
  private let result: OpaquePointer
  private let hub: String

  init(_ result: OpaquePointer, hub: String) {
    self.result = result
    self.hub = hub
  }

  deinit { PQclear(result) }

  /// The number of rows.
  var count: Int { Int(PQntuples(result)) }

  /// The number of rows that the statement changed.
  var changes: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// Returns a value; nil for NULL, or without such a row.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    guard row < count, PQgetisnull(result, Int32(row), Int32(column)) == 0,
      let start = PQgetvalue(result, Int32(row), Int32(column))
    else { return nil }
    let length = Int(PQgetlength(result, Int32(row), Int32(column)))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: length))
  }

  func text(_ row: Int, _ column: Int) -> String? {
    bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  func int(_ row: Int, _ column: Int) -> Int64? { text(row, column).flatMap { Int64($0) } }

  /// Returns the first column of all rows.
  var texts: [String] { (0..<count).compactMap { text($0, 0) } }

  /// The error that the server reported instead; nil for none.
  func error(isLost: Bool) -> HubError? {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return nil
    default: break
    }
    // PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY (libpq-fe.h)
    let state = field("C")
    let cause = field("M") ?? message(PQresultErrorMessage(result))
    return HubError(state: isLost ? nil : state, cause: cause, hub: hub)
  }

  private func field(_ code: Unicode.Scalar) -> String? {
    PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
  }
}
