internal import CoverCache
internal import Foundation
internal import Glibc
internal import LibraryStore

/// The errors of creating or finding the books of a run.
enum DatasetError: Error, Equatable {
  /// A folder or a file of the cache cannot be read or written.
  case cache(path: String, reason: String)
  /// The disk has no space for the data set.
  case diskFull(path: String, neededBytes: Int, availableBytes: Int)
  /// A cover cannot be created.
  case cover(name: String, reason: String)
  /// The library's database cannot be created or opened.
  case library(LibraryError)
  /// The user's folder of covers, which a parameter names, cannot be read.
  case unreadableCovers(path: String, reason: String, parameter: String = "covers")
  /// The user's folder of covers, which a parameter names, contains no *.jpg or *.jpeg file.
  case noCovers(path: String, parameter: String = "covers")
  /// The user's folder contains JPEG files, but none of them can be decoded.
  case noUsableCovers(path: String, skipped: Int, firstReason: String)
  /// The user's export contains no book.
  case noBooks(path: String)

  /// Creates the error of a failed system call.
  static func system(_ code: Int32, path: String, neededBytes: Int = 0) -> Self {
    if code == ENOSPC || code == EDQUOT {
      return .diskFull(
        path: path, neededBytes: neededBytes, availableBytes: freeBytes(at: path) ?? 0)
    }
    return .cache(path: path, reason: String(cString: strerror(code)))
  }
}

extension DatasetError: CustomStringConvertible {
  /// What failed, on which file, why, and what to do next.
  var description: String {
    switch self {
    case .cache(let path, let reason):
      "cannot use '\(path)' for the data set: \(reason). Check the permissions of the folder."
    case .diskFull(let path, let needed, let available):
      "the disk of '\(path)' is full: the covers need about \(needed / 1_000_000) MB and only "
        + "\(available / 1_000_000) MB are free. Free some space, or use fewer books."
    case .cover(let name, let reason):
      "cannot create the cover '\(name)': \(reason)"
    case .library(.malformedCSV(let path, let line, let column, let problem))
    where problem.isConfinedToRow:
      "\(path):\(line):\(column): \(problem) Or skip such rows with --set rows=skip."
    case .library(let error):
      error.description
    case .unreadableCovers(let path, let reason, let parameter):
      "cannot read the covers in '\(path)': \(reason). Pass a folder with --set \(parameter)=DIR."
    case .noCovers(let path, let parameter):
      "'\(path)' contains no *.jpg or *.jpeg file. Pass another folder with --set \(parameter)=DIR."
    case .noUsableCovers(let path, let skipped, let reason):
      "none of the \(skipped) covers in '\(path)' can be decoded. The first one: \(reason)"
    case .noBooks(let path):
      "'\(path)' contains no book. Pass another export with --set csv=FILE."
    }
  }
}
