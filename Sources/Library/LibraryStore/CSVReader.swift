/// Reads the rows of a CSV file one by one.
///
/// The format is RFC 4180; lines end with LF, CRLF or CR. The separator is the comma, semicolon or
/// tab that is most frequent in the first line. The form `="9780306406157"`, which spreadsheets and
/// Goodreads use for numbers that must stay text, is accepted too. Rows without any text are
/// skipped. Memory holds one row of at most `rowLimit` bytes, never the whole file.
///
/// The encoding is UTF-8, UTF-16 or Windows-1252 (see `FieldDecoder`).
///
/// A quote within an unquoted field is text. A quote within a quoted field should be doubled; if it
/// is not, and the field has no line break, it is text too, and `misplacedQuote` reports it. After
/// any other misplaced quote the reader goes on with the line after the row's first one, so that a
/// quote that is never closed costs one row.
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

  /// The effect of a byte.
  private enum Step {
    case goOn
    case endOfRow
    /// A misplaced quote hides the end of the row.
    case broken
  }

  private let path: String
  private var window: CSVWindow
  private let separator: UInt8
  /// The number of fields in the first row.
  private var width: Int?
  private var line = 1
  private var column = 0
  private var previousWasCR = false

  private var state = State.fieldStart
  private var field: [UInt8] = []
  private var fieldLine = 1
  private var fieldColumn = 1
  private var row: [CSVField] = []
  private var rowLine = 1
  /// Whether quotes are text in the current row.
  private var quotesAreText = false
  /// Whether the rest of a row that is too long must be skipped.
  private var isInLongRow = false
  /// A problem of the row's bytes, thrown at the row's end so that the next row can be read.
  private var rowProblem: LibraryError?
  private var decoder: FieldDecoder

  /// The first quote of the latest row that should have been doubled.
  private(set) var misplacedQuote: LibraryError?
  /// The number of the latest row as spreadsheets count, with rows without text.
  private(set) var rowNumber = 0
  /// The number of rows so far that were read as Windows-1252.
  private(set) var rowsInWindows1252 = 0

  /// Opens a file.
  ///
  /// - Throws: `unreadable`.
  init(path: String) throws(LibraryError) {
    self.path = path
    window = try CSVWindow(path: path)
    decoder = FieldDecoder(isUnicode: window.declaresUnicode)
    separator = window.readSeparator()
  }

  /// Returns the fields of the next row, or nil at the end of the file.
  ///
  /// - Throws: `malformedCSV`, after which the next row can be read, or `unreadable`.
  mutating func next() throws(LibraryError) -> [CSVField]? {
    if isInLongRow { try skipLongRow() }
    while true {
      quotesAreText = false
      try beginRow()
      guard try readRow() else { return nil }
      if let rowProblem { throw rowProblem }
      if decoder.hasUsedWindows1252 { rowsInWindows1252 += 1 }
      guard row.contains(where: { !$0.text.allSatisfy(\.isWhitespace) }) else { continue }
      if width == nil { width = row.count }
      return row
    }
  }

  // MARK: - Rows

  private mutating func beginRow() throws(LibraryError) {
    if previousWasCR, try window.peek() == UInt8(ascii: "\n") { _ = try window.next() }
    previousWasCR = false
    column = 0
    rowNumber += 1
    window.beginRow()
    rowLine = line
    row.removeAll(keepingCapacity: true)
    field.removeAll(keepingCapacity: true)
    rowProblem = nil
    misplacedQuote = nil
    decoder.hasUsedWindows1252 = false
    state = .fieldStart
  }

  /// Reads a row and returns whether there was one.
  private mutating func readRow() throws(LibraryError) -> Bool {
    while let byte = try nextByte() {
      guard window.rowLength <= Self.rowLimit else { throw rowTooLong(at: byte) }
      switch step(byte) {
      case .goOn: break
      case .endOfRow: return true
      case .broken:
        let problem =
          misplacedQuote ?? problem(.unclosedQuote, line: fieldLine, column: fieldColumn)
        guard try beginAgain() else { throw problem }
      }
    }
    switch state {
    case .quoted:
      let problem = misplacedQuote ?? problem(.unclosedQuote, line: fieldLine, column: fieldColumn)
      guard try beginAgain() else { throw problem }
      return try readRow()
    case .fieldStart where row.isEmpty:
      return false
    case .fieldStart:
      fieldLine = line
      fieldColumn = column + 1
      endField()
    case .unquoted, .quoteInQuoted:
      endField()
    }
    return true
  }

  /// Processes one byte.
  private mutating func step(_ byte: UInt8) -> Step {
    let isNewline = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    let isSecondHalf = byte == UInt8(ascii: "\n") && previousWasCR
    previousWasCR = byte == UInt8(ascii: "\r")
    if isSecondHalf {
      // The line break has ended the previous line or is already in the quoted field.
      column = 0
      if row.isEmpty, state == .fieldStart { window.beginRow() }
      return .goOn
    }
    if state == .fieldStart {
      fieldLine = line
      fieldColumn = column
    }
    switch state {
    case .quoted:
      if byte == UInt8(ascii: "\"") {
        state = .quoteInQuoted
      } else if isNewline {
        if misplacedQuote != nil, !isInLongRow { return .broken }
        append(UInt8(ascii: "\n"))
        startLine()
      } else {
        append(byte)
      }
    case .quoteInQuoted where byte == UInt8(ascii: "\""):
      append(byte)
      state = .quoted
    case .fieldStart, .unquoted, .quoteInQuoted:
      if byte == separator {
        endField()
        state = .fieldStart
      } else if isNewline {
        let isEmptyLine = row.isEmpty && state == .fieldStart && !isInLongRow
        if !isEmptyLine { endField() }
        startLine()
        state = .fieldStart
        guard isEmptyLine else { return .endOfRow }
        rowNumber += 1
        window.beginRow()
        rowLine = line
      } else if state == .quoteInQuoted {
        return misplaceQuote(before: byte)
      } else {
        startOrContinue(with: byte)
      }
    }
    return .goOn
  }

  private mutating func startOrContinue(with byte: UInt8) {
    let isQuote = byte == UInt8(ascii: "\"") && !quotesAreText
    if isQuote, state == .fieldStart {
      state = .quoted
    } else if isQuote, field == [UInt8(ascii: "=")] {
      field.removeAll(keepingCapacity: true)
      state = .quoted
    } else {
      append(byte)
      state = .unquoted
    }
  }

  /// Takes the previous quote as text, unless the field has a line break.
  private mutating func misplaceQuote(before byte: UInt8) -> Step {
    guard fieldLine == line || isInLongRow else { return .broken }
    if misplacedQuote == nil {
      misplacedQuote = problem(.textAfterQuote, line: line, column: column)
    }
    append(UInt8(ascii: "\""))
    append(byte)
    state = .quoted
    return .goOn
  }

  private mutating func append(_ byte: UInt8) {
    if !isInLongRow { field.append(byte) }
  }

  private mutating func endField() {
    guard !isInLongRow else { return }
    let text = decoder.text(of: field)
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

  // MARK: - Recovery

  /// Returns to the start of a broken row, without quotes if tabs separate its fields, else on the
  /// line after; returns whether the row itself can be read.
  private mutating func beginAgain() throws(LibraryError) -> Bool {
    window.returnToRow()
    line = rowLine
    previousWasCR = false
    // Text with a tab is rare, so that programs write fields between tabs without quotes.
    if separator == UInt8(ascii: "\t"), !quotesAreText {
      quotesAreText = true
      rowNumber -= 1
      try beginRow()
      return true
    }
    while let byte = try nextByte() {
      window.beginRow()
      previousWasCR = byte == UInt8(ascii: "\r")
      if previousWasCR || byte == UInt8(ascii: "\n") { break }
    }
    startLine()
    return false
  }

  private mutating func rowTooLong(at byte: UInt8) -> LibraryError {
    let problem = problem(.rowTooLong(limit: Self.rowLimit), line: fieldLine, column: fieldColumn)
    isInLongRow = true
    if step(byte) == .endOfRow { isInLongRow = false }
    return problem
  }

  /// Skips a row that is too long: its first line if a quote is not closed, else the whole row.
  private mutating func skipLongRow() throws(LibraryError) {
    if state == .quoted, holdsRows() {
      quotesAreText = true
      _ = try beginAgain()
    } else {
      field.removeAll()
      while let byte = try nextByte() {
        window.beginRow()
        if step(byte) == .endOfRow { break }
      }
    }
    isInLongRow = false
  }

  /// Whether at least half of the lines after the row's first one have the separators of a row.
  private func holdsRows() -> Bool {
    let lines = window.row.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .dropFirst().dropLast()
    let rows = lines.count { line in line.count { $0 == separator } + 1 >= width ?? 2 }
    return rows > 0 && rows * 2 >= lines.count
  }

  // MARK: - Bytes

  private mutating func nextByte() throws(LibraryError) -> UInt8? {
    guard let byte = try window.next() else { return nil }
    // Bytes of the form 10xxxxxx continue a character.
    if byte & 0xC0 != 0x80 { column += 1 }
    return byte
  }

  private func problem(_ problem: CSVProblem, line: Int, column: Int) -> LibraryError {
    .malformedCSV(path: path, line: line, column: column, problem: problem)
  }
}
