internal import Foundation

/// A field of a CSV row with its position.
struct CSVField: Hashable, Sendable {
  let text: String
  let line: Int
  let column: Int
}

/// Reads the rows of a CSV file one by one.
///
/// The format is RFC 4180 in UTF-8, with or without a byte order mark; lines end with LF, CRLF or
/// CR. The form `="9780306406157"`, which spreadsheets and Goodreads use for numbers that must stay
/// text, is accepted too. Empty lines are skipped. Memory holds one row of at most `rowLimit`
/// bytes, never the whole file.
///
/// An import must report the line and column at which a file of 1 GB is malformed. The available
/// packages read the whole text and report neither, so this reader is handwritten.
struct CSVReader {
  /// The largest number of bytes in a row.
  static let rowLimit = 1 << 20

  private enum State {
    case fieldStart
    case unquoted
    /// Inside quotes.
    case quoted
    /// After a quote inside quotes: the end of the field, or the first half of a doubled quote.
    case quoteInQuoted
  }

  private let path: String
  private let file: FileHandle
  private var chunk: [UInt8] = []
  private var position = 0
  private var line = 1
  private var column = 0
  private var previousWasCR = false

  private var state = State.fieldStart
  private var field: [UInt8] = []
  private var fieldLine = 1
  private var fieldColumn = 1
  private var row: [CSVField] = []
  private var rowBytes = 0
  /// A problem of the row's bytes, thrown at the row's end so that the next row can be read.
  private var rowProblem: LibraryError?

  /// Opens a file.
  ///
  /// - Throws: `unreadable`.
  init(path: String) throws(LibraryError) {
    self.path = path
    do {
      file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      chunk = [UInt8](try file.read(upToCount: 1 << 16) ?? Data())
    } catch {
      throw .unreadable(path: path, reason: LibraryError.reason(of: error))
    }
    if chunk.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns the fields of the next row, or nil at the end of the file.
  ///
  /// - Throws: `malformedCSV` or `unreadable`. After `notUTF8` and `nulByte` the next row can be
  ///   read, after any other problem nothing.
  mutating func next() throws(LibraryError) -> [CSVField]? {
    row.removeAll(keepingCapacity: true)
    rowBytes = 0
    rowProblem = nil
    state = .fieldStart
    guard try readRow() else { return nil }
    if let rowProblem { throw rowProblem }
    return row
  }

  /// Reads a row and returns whether there was one.
  private mutating func readRow() throws(LibraryError) -> Bool {
    while let byte = try nextByte() {
      if byte == UInt8(ascii: "\n"), previousWasCR {
        // The second half of CRLF: the row has ended, or a quoted field already contains the LF.
        previousWasCR = false
        column = 0
        continue
      }
      previousWasCR = byte == UInt8(ascii: "\r")
      rowBytes += 1
      guard rowBytes <= Self.rowLimit else {
        throw problem(.rowTooLong(limit: Self.rowLimit), line: fieldLine, column: fieldColumn)
      }
      if try consume(byte) { return true }
    }
    return try finish()
  }

  /// Processes one byte and returns whether it ended a row.
  private mutating func consume(_ byte: UInt8) throws(LibraryError) -> Bool {
    let isNewline = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    if state == .fieldStart {
      fieldLine = line
      fieldColumn = column
    }
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")):
      state = .quoteInQuoted
    case (.quoted, _):
      field.append(isNewline ? UInt8(ascii: "\n") : byte)
      if isNewline { startLine() }
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      field.append(byte)
      state = .quoted
    case (_, UInt8(ascii: ",")):
      endField()
      state = .fieldStart
    case (_, _) where isNewline:
      let isEmptyLine = row.isEmpty && state == .fieldStart
      if !isEmptyLine { endField() }
      startLine()
      state = .fieldStart
      return !isEmptyLine
    case (.fieldStart, UInt8(ascii: "\"")):
      state = .quoted
    case (.unquoted, UInt8(ascii: "\"")) where field == [UInt8(ascii: "=")]:
      field.removeAll()
      state = .quoted
    case (.unquoted, UInt8(ascii: "\"")):
      throw problem(.strayQuote, line: line, column: column)
    case (.quoteInQuoted, _):
      throw problem(.textAfterQuote, line: line, column: column)
    case (.fieldStart, _), (.unquoted, _):
      field.append(byte)
      state = .unquoted
    }
    return false
  }

  /// Ends the last row, which may lack a line break, and returns whether there was one.
  private mutating func finish() throws(LibraryError) -> Bool {
    switch state {
    case .quoted:
      throw problem(.unclosedQuote, line: fieldLine, column: fieldColumn)
    case .fieldStart where row.isEmpty:
      return false
    case .fieldStart:
      fieldLine = line
      fieldColumn = column + 1
      endField()
    case .unquoted, .quoteInQuoted:
      endField()
    }
    state = .fieldStart
    return true
  }

  private mutating func endField() {
    let text = String(validating: field, as: UTF8.self)
    if rowProblem == nil, text == nil || field.contains(0) {
      rowProblem = problem(text == nil ? .notUTF8 : .nulByte, line: fieldLine, column: fieldColumn)
    }
    row.append(CSVField(text: text ?? "", line: fieldLine, column: fieldColumn))
    field.removeAll(keepingCapacity: true)
  }

  private mutating func startLine() {
    line += 1
    column = 0
  }

  private mutating func nextByte() throws(LibraryError) -> UInt8? {
    if position == chunk.count {
      do {
        chunk = [UInt8](try file.read(upToCount: 1 << 16) ?? Data())
      } catch {
        throw .unreadable(path: path, reason: LibraryError.reason(of: error))
      }
      position = 0
      if chunk.isEmpty { return nil }
    }
    let byte = chunk[position]
    position += 1
    // Bytes of the form 10xxxxxx continue a character.
    if byte & 0xC0 != 0x80 { column += 1 }
    return byte
  }

  private func problem(_ problem: CSVProblem, line: Int, column: Int) -> LibraryError {
    .malformedCSV(path: path, line: line, column: column, problem: problem)
  }
}
