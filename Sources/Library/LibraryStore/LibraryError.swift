/// An error of an operation on a library.
public enum LibraryError: Error, Hashable, Sendable {
  /// There is no database at the path.
  case missing(path: String)
  /// The file is not an SQLite database, or it is damaged.
  case notADatabase(path: String)
  /// The file is a database of another program.
  case notALibrary(path: String)
  /// A newer version of this module has changed the schema.
  case newerSchema(path: String)
  /// The database has a different schema and may not be migrated to the requested one.
  case otherSchema(path: String, found: String, wanted: String)
  /// The file, its folder or the connection is read-only.
  case readOnly(path: String)
  /// Another process holds the lock for longer than the configured time.
  case locked(path: String)
  /// The disk is full.
  case diskFull(path: String)
  /// A file cannot be opened or read.
  case unreadable(path: String, reason: String)
  /// The library already contains an edition with this ISBN.
  case duplicateISBN(path: String)
  /// A text contains a NUL character, at which SQLite would truncate it.
  case nulInText(path: String, text: String)
  /// SQLite failed for another reason.
  case database(path: String, reason: String)
  /// A CSV file is malformed; line and column count from 1, columns in characters.
  case malformedCSV(path: String, line: Int, column: Int, problem: CSVProblem)
}

/// A problem at one place of a CSV file.
public enum CSVProblem: Error, Hashable, Sendable {
  /// The file is empty.
  case empty
  /// The header lacks required columns.
  case missingColumns([String])
  /// The header contains a column twice.
  case repeatedColumn(String)
  /// A row has more or fewer fields than the header.
  case fieldCount(found: Int, expected: Int)
  /// A quote that opens here is never closed.
  case unclosedQuote
  /// Text between a closing quote and the next comma.
  case textAfterQuote
  /// Bytes that are neither UTF-8 nor the encoding of the rows before.
  case notUTF8
  /// A NUL byte.
  case nulByte
  /// A row longer than the limit, in bytes.
  case rowTooLong(limit: Int)
  /// An invalid value for its column.
  case value(column: String, text: String, expected: String)
}

extension CSVProblem {
  /// Whether the problem is that of a row, which `MalformedRows.skip` skips, and not the header's.
  public var isConfinedToRow: Bool {
    switch self {
    case .empty, .missingColumns, .repeatedColumn: false
    case .fieldCount, .unclosedQuote, .textAfterQuote, .notUTF8, .nulByte, .rowTooLong, .value:
      true
    }
  }
}

extension LibraryError: CustomStringConvertible {
  /// A message with the failure, the file, the reason and a remedy.
  public var description: String {
    switch self {
    case .missing(let path):
      "there is no library at '\(path)'. Create one there first, or pass another path."
    case .notADatabase(let path):
      "cannot open the library '\(path)': it is not an SQLite database, or it is damaged. "
        + "Restore a backup, or pass another path."
    case .notALibrary(let path):
      "cannot open the library '\(path)': it is a database of another program. Pass another path."
    case .newerSchema(let path):
      "cannot open the library '\(path)': a newer version has changed its schema. "
        + "Update this program, or pass another path."
    case .otherSchema(let path, let found, let wanted):
      "cannot open the library '\(path)' with the schema '\(wanted)': it has '\(found)'. "
        + "Open it for writing to migrate it; a schema cannot be downgraded."
    case .readOnly(let path):
      "cannot change the library '\(path)': it is read-only. "
        + "Check the permissions of the file and of its folder."
    case .locked(let path):
      "cannot use the library '\(path)': another process holds its lock. Try again when it has finished."
    case .diskFull(let path):
      "cannot write the library '\(path)': the disk is full. Nothing was changed. Free some space."
    case .unreadable(let path, let reason):
      "cannot read '\(path)': \(reason)."
    case .duplicateISBN(let path):
      "cannot add to the library '\(path)': an edition with this ISBN is already in it. "
        + "Use upsert to update it."
    case .nulInText(let path, let text):
      "cannot add to the library '\(path)': the text '\(text.replacing("\0", with: "\\0"))' contains a NUL "
        + "character. Remove it."
    case .database(let path, let reason):
      "the library '\(path)' failed: \(reason)."
    case .malformedCSV(let path, let line, let column, let problem):
      "\(path):\(line):\(column): \(problem)"
    }
  }
}

extension CSVProblem: CustomStringConvertible {
  /// A message with the problem and a remedy.
  public var description: String {
    switch self {
    case .empty:
      "the file is empty. Export the library again."
    case .missingColumns(let names):
      "the header lacks \(names.map { "'\($0)'" }.joined(separator: ", ")). "
        + "Pass the CSV file of an export of Goodreads, StoryGraph, LibraryThing or Calibre."
    case .repeatedColumn(let name):
      "the header has the column '\(name)' twice. Remove the second one."
    case .fieldCount(let found, let expected):
      "the row has \(found) fields, the header \(expected). Check for unquoted commas and truncated rows."
    case .unclosedQuote:
      "the quote that opens here is never closed. Close it, or double it inside a quoted field."
    case .textAfterQuote:
      "text after a closing quote. Double the quotes inside a quoted field."
    case .notUTF8:
      "the row is not UTF-8, which the file or its other rows are. Convert the file to UTF-8."
    case .nulByte:
      "the row contains a NUL byte. Check that the file is intact."
    case .rowTooLong(let limit):
      "the row is longer than \(limit) bytes. Check for a quote that is never closed."
    case .value(let column, let text, let expected):
      "'\(text)' in the column '\(column)' is not \(expected)."
    }
  }
}
