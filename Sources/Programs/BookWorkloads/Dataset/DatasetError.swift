internal import CoverCache
internal import Foundation
internal import Glibc
internal import LibraryStore

/// Why the books of a run cannot be had.
enum DatasetError: Error, Equatable {
  /// A folder or a file of the cache cannot be read or written.
  case cache(path: String, reason: String)
  /// There is no space left for the data set.
  case diskFull(path: String, neededBytes: Int, availableBytes: Int)
  /// A cover cannot be made.
  case cover(name: String, reason: String)
  /// The library's database cannot be made or opened.
  case library(LibraryError)
  /// The user's folder of covers cannot be read.
  case unreadableCovers(path: String, reason: String)
  /// There is no *.jpg and no *.jpeg in the user's folder of covers.
  case noCovers(path: String)
  /// There are JPEG files in the user's folder, but none can be decoded.
  case noUsableCovers(path: String, skipped: Int, firstReason: String)
  /// The user's export has a header and no book.
  case noBooks(path: String)

  /// Makes an error of a failed system call.
  static func system(_ code: Int32, path: String, neededBytes: Int = 0) -> Self {
    if code == ENOSPC || code == EDQUOT {
      return .diskFull(
        path: path, neededBytes: neededBytes, availableBytes: freeBytes(at: path) ?? 0)
    }
    return .cache(path: path, reason: String(cString: strerror(code)))
  }

  /// The system's words for an error, as `No such file or directory`.
  static func reason(of error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    return cause.domain == NSPOSIXErrorDomain
      ? String(cString: strerror(Int32(cause.code))) : error.localizedDescription
  }
}

extension DatasetError: CustomStringConvertible {
  /// What failed, on which file, why, and what to do.
  var description: String {
    switch self {
    case .cache(let path, let reason):
      "cannot use '\(path)' for the data set: \(reason). Check the permissions of the folder."
    case .diskFull(let path, let needed, let available):
      "the disk of '\(path)' is full: the covers need about \(needed / 1_000_000) MB and there are "
        + "\(available / 1_000_000) MB. Make space, or ask for fewer books."
    case .cover(let name, let reason):
      "cannot make the cover '\(name)': \(reason)"
    case .library(let error):
      error.description
    case .unreadableCovers(let path, let reason):
      "cannot read the covers in '\(path)': \(reason). Pass a folder with --set covers=DIR."
    case .noCovers(let path):
      "there is no *.jpg and no *.jpeg in '\(path)'. Pass another folder with --set covers=DIR."
    case .noUsableCovers(let path, let skipped, let reason):
      "none of the \(skipped) covers in '\(path)' can be decoded. The first one: \(reason)"
    case .noBooks(let path):
      "there is no book in '\(path)'. Pass a Goodreads export with --set csv=FILE."
    }
  }
}
