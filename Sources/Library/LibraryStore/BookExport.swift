internal import Foundation

/// Reads the books of an export one by one: of Goodreads, StoryGraph, LibraryThing or Calibre.
///
/// The header decides the format; see `ExportFormat` for the columns. They may have any order, all
/// but the title, the author and the numbers may be missing, and other columns are ignored. Each row
/// is one edition of one book.
///
/// The values may be as a spreadsheet has saved them: other separators, encodings and dates (see
/// `CSVReader` and `ExportDate`), years such as 1999.0, ISBNs of ten digits or without their leading
/// zero, empty rows, and empty columns at the end. The dates of the file that have only one meaning
/// decide the order of dates such as 3/4/2021.
public struct BookExport {
  /// The program that wrote the export.
  public let format: ExportFormat
  /// The number of books so far without a valid ISBN.
  public private(set) var booksWithoutISBN = 0
  /// The malformed rows so far.
  public private(set) var skipped = SkippedRows()
  /// The number of rows so far that were not UTF-8 and were read as Windows-1252.
  public var rowsInWindows1252: Int { reader.rowsInWindows1252 }

  private let path: String
  private let malformedRows: MalformedRows
  private let columns: ExportColumns
  private var reader: CSVReader
  /// The names of all columns, as in the file.
  private let header: [String]
  /// The positions of the columns, by their names in lower case.
  private let positions: [String: Int]
  /// The number of fields up to the last column with a name.
  private let fieldsNeeded: Int
  /// The order that the file's dates prove, after they were searched for one.
  private var dayOrder: ExportDate.DayOrder??

  /// Opens an export and checks its header.
  ///
  /// - Throws: `unreadable`, or `malformedCSV` for an empty file or an unexpected header.
  public init(path: String, malformedRows: MalformedRows = .stop) throws(LibraryError) {
    self.path = path
    self.malformedRows = malformedRows
    reader = try CSVReader(path: path)
    guard let row = try reader.next() else {
      throw .malformedCSV(path: path, line: 1, column: 1, problem: .empty)
    }
    if let problem = reader.misplacedQuote { throw problem }
    header = row.map { $0.text.trimmingCharacters(in: .whitespacesAndNewlines) }
    let names = header.map { $0.lowercased() }
    format = ExportFormat(header: Set(names))
    columns = format.columns
    positions = Dictionary(zip(names, names.indices)) { first, _ in first }
    fieldsNeeded = (names.lastIndex { !$0.isEmpty } ?? -1) + 1
    let missing = columns.required.filter { positions[$0.lowercased()] == nil }
    guard missing.isEmpty || missing == ["ISBN13"] && positions["isbn"] != nil else {
      throw .malformedCSV(path: path, line: 1, column: 1, problem: .missingColumns(missing))
    }
    for (index, name) in names.enumerated()
    where positions[name] != index && columns.all.contains(name) {
      throw .malformedCSV(
        path: path, line: row[index].line, column: row[index].column,
        problem: .repeatedColumn(header[index]))
    }
  }

  /// Returns the next book, or nil at the end.
  ///
  /// - Throws: `unreadable`, or `malformedCSV` for a row with a misplaced quote, too many bytes, a
  ///   wrong number of fields, an invalid value, another encoding or a NUL byte, after which the next
  ///   row can be read. With `.skip` such rows are counted instead.
  public mutating func next() throws(LibraryError) -> NewBook? {
    while true {
      do throws(LibraryError) {
        guard let row = try reader.next() else { return nil }
        return try book(of: row)
      } catch {
        guard malformedRows == .skip,
          case .malformedCSV(_, let line, let column, let problem) = error
        else { throw error }
        skipped.add(
          SkippedRow(number: reader.rowNumber, line: line, column: column, problem: problem))
      }
    }
  }

  private mutating func book(of row: [CSVField]) throws(LibraryError) -> NewBook {
    let hasTooMany = row.dropFirst(header.count).contains { !$0.text.isEmpty }
    guard row.count >= fieldsNeeded, !hasTooMany else {
      throw reader.misplacedQuote
        ?? .malformedCSV(
          path: path, line: row[0].line, column: 1,
          problem: .fieldCount(found: row.count, expected: header.count))
    }
    let title = text(columns.title, of: row)
    guard !title.isEmpty else { throw malformed(columns.title, of: row, expected: "a title") }
    let edition = EditionDetails(
      isbn: isbn(of: row), format: bookFormat(of: row), publicationDate: try year(of: row))
    let shelves = shelves(of: row)
    let status = status(of: row, shelves: shelves)
    let entry = UserEntryDetails(
      status: status.status, rating: try rating(of: row),
      shelves: shelves + status.furtherShelves, addedSeconds: try added(row))
    if edition.isbn == nil { booksWithoutISBN += 1 }
    return NewBook(title: title, author: author(of: row), editions: [edition], userEntry: entry)
  }

  // MARK: - Fields

  private func text(_ column: String?, of row: [CSVField]) -> String {
    guard let column, let index = positions[column], index < row.count else { return "" }
    return row[index].text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func malformed(_ column: String, of row: [CSVField], expected: String) -> LibraryError {
    let index = positions[column] ?? 0
    // A field may have a megabyte.
    let text = String(row[index].text.prefix(80))
    return .malformedCSV(
      path: path, line: row[index].line, column: row[index].column,
      problem: .value(column: header[index], text: text, expected: expected))
  }

  private func author(of row: [CSVField]) -> String {
    let author = text(columns.author, of: row)
    guard format == .libraryThing else { return author }
    // LibraryThing writes "Austen, Jane" and "King, Martin Luther, Jr.".
    let parts = author.split(separator: ",", maxSplits: 2)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    guard parts.count > 1 else { return author }
    return "\(parts[1]) \(parts[0])" + (parts.count > 2 ? ", \(parts[2])" : "")
  }

  private func isbn(of row: [CSVField]) -> ISBN13? {
    for column in columns.isbn {
      for part in text(column, of: row).split(separator: ",") {
        // Calibre writes identifiers such as "goodreads:39077187,isbn:9780756411800".
        let scheme = part.prefix { $0 != ":" }
        guard scheme.count == part.count || scheme.lowercased().hasSuffix("isbn") else { continue }
        let number = scheme.count == part.count ? part : part.dropFirst(scheme.count + 1)
        // Calibre removes the check digit X.
        let isCut = format == .calibre && number.count == 9
        if let isbn = ISBN13(exported: isCut ? "\(number)X" : "\(number)") { return isbn }
      }
    }
    return nil
  }

  private func bookFormat(of row: [CSVField]) -> BookFormat {
    let binding = text(columns.binding, of: row)
    // Calibre lists the file formats.
    if format == .calibre { return binding.isEmpty ? .other : .ebook }
    return BookFormat(binding: binding)
  }

  private func rating(of row: [CSVField]) throws(LibraryError) -> Int {
    let text = text(columns.rating, of: row)
    if text.isEmpty { return 0 }
    guard let stars = Self.decimal(text), (0...5).contains(stars) else {
      throw malformed(columns.rating, of: row, expected: "a number from 0 to 5")
    }
    // StoryGraph has quarters of a star; zero would mean "not rated".
    return stars > 0 ? max(1, Int(stars.rounded())) : 0
  }

  private func year(of row: [CSVField]) throws(LibraryError) -> String {
    for column in columns.years {
      let text = text(column, of: row)
      switch format {
      case .goodreads, .storyGraph:
        if text.isEmpty { continue }
        // Goodreads writes years BCE as negative numbers.
        guard let number = Self.decimal(text), let year = Int(exactly: number), abs(year) <= 9_999
        else { throw malformed(column, of: row, expected: "a year") }
        if year != 0 { return String(year) }
      case .libraryThing, .calibre:
        // LibraryThing's date is free text; Calibre's unknown date is in the year 101.
        let numbers: [Substring] = text.split { !$0.isASCII || !$0.isNumber }
        if let year = numbers.first(where: { $0.count == 4 }), year > "0101" { return "\(year)" }
      }
    }
    return ""
  }

  /// Reads a number with a decimal point or comma.
  private static func decimal(_ text: String) -> Double? {
    guard text.allSatisfy({ "0123456789.,-".contains($0) }) else { return nil }
    return Double(text) ?? Double(text.replacing(",", with: "."))
  }

  private func shelves(of row: [CSVField]) -> [String] {
    columns.shelves.flatMap { column in
      text(column, of: row).split(separator: ",")
        .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
    }
  }

  /// Returns the exclusive shelf, and its name if the status has another one.
  private func status(
    of row: [CSVField], shelves: [String]
  ) -> (status: ReadingStatus, furtherShelves: [String]) {
    let name = text(columns.status, of: row)
    guard name.isEmpty else {
      let status = ReadingStatus(shelf: name)
      return (status, status.isRenamed(name) && !shelves.contains(name) ? [name] : [])
    }
    if !text(columns.finished, of: row).isEmpty { return (.read, []) }
    if !text(columns.started, of: row).isEmpty { return (.reading, []) }
    let known = shelves.map { ReadingStatus(shelf: $0) }.first { ReadingStatus.known.contains($0) }
    return (known ?? .unspecified, [])
  }

  // MARK: - Dates

  private mutating func added(_ row: [CSVField]) throws(LibraryError) -> Int64 {
    let text = date(columns.added, of: row)
    if text.isEmpty { return 0 }
    var reading = ExportDate.read(text, order: nil)
    if reading == .ambiguous, let order = try provenDayOrder() {
      reading = ExportDate.read(text, order: order)
    }
    switch reading {
    case .time(let seconds): return seconds
    case .ambiguous:
      throw malformed(
        columns.added, of: row,
        expected: "a date with one meaning: the file's other dates do not show whether the day or "
          + "the month comes first. Write it as 2025/11/03")
    case .invalid:
      throw malformed(columns.added, of: row, expected: "a date such as 2025/11/03")
    }
  }

  /// Returns a date without the brackets of LibraryThing.
  private func date(_ column: String, of row: [CSVField]) -> String {
    text(column, of: row).trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
  }

  /// Searches the whole file for dates that prove the order of day and month; nil without any, and
  /// if both orders occur.
  private mutating func provenDayOrder() throws(LibraryError) -> ExportDate.DayOrder? {
    if let dayOrder { return dayOrder }
    var other = try CSVReader(path: path)
    var orders: Set<ExportDate.DayOrder> = []
    while orders.count < 2 {
      do throws(LibraryError) {
        guard let row = try other.next() else { break }
        for column in columns.dates {
          if let order = ExportDate.order(provenBy: date(column, of: row)) { orders.insert(order) }
        }
      } catch {
        // A malformed row proves nothing.
        guard case .malformedCSV = error else { throw error }
      }
    }
    let order = orders.count == 1 ? orders.first : nil
    dayOrder = .some(order)
    return order
  }
}
