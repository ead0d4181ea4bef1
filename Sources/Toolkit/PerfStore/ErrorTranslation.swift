internal import GRDB

/// Converts errors of SQLite and of the codecs to `StoreError`.
struct ErrorTranslation {
  let path: String
  let timeout: Duration
  var needed: Int?

  func callAsFunction(_ error: any Error) -> StoreError {
    switch error {
    case let error as StoreError: error
    case let error as BlobError: .damaged(path: path, detail: "\(error)")
    case let error as DatabaseError: translated(error)
    // A value of another type than the schema has, in a damaged store.
    case let error as RowDecodingError: .damaged(path: path, detail: "\(error)")
    default: .failed(path: path, cause: "\(error)")
    }
  }

  private func translated(_ error: DatabaseError) -> StoreError {
    let message = error.message ?? "SQLite error \(error.resultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_NOTADB: return .notADatabase(path: path)
    case .SQLITE_BUSY, .SQLITE_LOCKED: return .locked(path: path, waited: timeout)
    case .SQLITE_FULL:
      return .diskFull(path: path, needed: needed, free: StoreFile(path: path).freeBytes)
    // SQLite reports an I/O error if there is no room for the 32 KiB index of the log.
    case .SQLITE_IOERR where (StoreFile(path: path).freeBytes ?? .max) < 65_536:
      return .diskFull(path: path, needed: needed, free: StoreFile(path: path).freeBytes)
    case .SQLITE_READONLY, .SQLITE_PERM: return .notWritable(path: path, cause: message)
    case .SQLITE_CANTOPEN, .SQLITE_AUTH: return .notReadable(path: path, cause: message)
    case .SQLITE_CORRUPT: return .damaged(path: path, detail: message)
    default: return .failed(path: path, cause: message)
    }
  }
}
