internal import Foundation

/// A field of a CSV row and where it begins.
struct CSVField: Hashable, Sendable {
  let text: String
  let line: Int
  let column: Int
}

/// Reads the rows of a CSV file one after the other.
///
/// It takes the format of RFC 4180 in UTF-8, with or without a byte order mark, lines ended by LF,
/// CRLF or CR, and in addition the form `="9780306406157"` that spreadsheets and Goodreads use for
/// numbers that must stay text. Empty lines are skipped. The whole file is never in memory: a row
/// may have `rowLimit` bytes.
///
/// It is our own since an import must say at which line and column a file of 1 GB is broken; the
/// packages that are there take the whole text and report neither.
struct CSVReader {
  /// The most bytes that a row may have.
  static let rowLimit = 1 << 20

  private enum State {
    case fieldStart
    case unquoted
    /// Within quotes.
    case quoted
    /// Behind a quote within quotes: the end of the field, or the first half of a doubled quote.
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
  /// What is wrong with the row's bytes; it is thrown at its end, so that the next one can be read.
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
  /// - Throws: `malformedCSV`, or `unreadable`. Behind `notUTF8` and `nulByte` the next row can be
  ///   read, behind another problem nothing can.
  mutating func next() throws(LibraryError) -> [CSVField]? {
    row.removeAll(keepingCapacity: true)
    rowBytes = 0
    rowProblem = nil
    state = .fieldStart
    guard try readRow() else { return nil }
    if let rowProblem { throw rowProblem }
    return row
  }

  /// Reads a row; returns whether there was one.
  private mutating func readRow() throws(LibraryError) -> Bool {
    while let byte = try nextByte() {
      if byte == UInt8(ascii: "\n"), previousWasCR {
        // The second half of CRLF: the row has ended already, or a quoted field keeps it as LF.
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

  /// Takes one byte; returns whether it ended a row.
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

  /// Ends the last row, which need not end with a line break; returns whether there was one.
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
      rowProblem = problem(
        text == nil ? .notUTF8 : .nulByte, line: fieldLine, column: fieldColumn)
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
    // Bytes 10xxxxxx continue a character.
    if byte & 0xC0 != 0x80 { column += 1 }
    return byte
  }

  private func problem(_ problem: CSVProblem, line: Int, column: Int) -> LibraryError {
    .malformedCSV(path: path, line: line, column: column, problem: problem)
  }
}
