internal import Foundation
internal import GRDB
internal import Glibc

extension LibraryError {
  /// Converts a database error of the library at a path.
  init(_ error: any Error, path: String) {
    if let error = error as? LibraryError {
      self = error
      return
    }
    guard let error = error as? DatabaseError else {
      self = .database(path: path, reason: "\(error)")
      return
    }
    switch error.resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .notADatabase(path: path)
    case .SQLITE_READONLY: self = .readOnly(path: path)
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path)
    case .SQLITE_FULL: self = .diskFull(path: path)
    case .SQLITE_CANTOPEN, .SQLITE_PERM:
      self = .unreadable(path: path, reason: error.message ?? "the file cannot be opened")
    case .SQLITE_CONSTRAINT where error.message?.contains("edition.isbn") == true:
      self = .duplicateISBN(path: path)
    default:
      // The statement's arguments are omitted, because they are the reader's personal data.
      self = .database(path: path, reason: error.message ?? "SQLite error \(error.resultCode)")
    }
  }

  /// Returns the system's text for an error, such as `No such file or directory`.
  package static func reason(of error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    return cause.domain == NSPOSIXErrorDomain
      ? unsafe String(cString: strerror(Int32(cause.code))) : error.localizedDescription
  }
}
