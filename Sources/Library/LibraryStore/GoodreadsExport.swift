internal import Foundation

/// Reads the books of a Goodreads export one by one.
///
/// The columns Title, Author and ISBN13 are required. My Rating, Date Added, Bookshelves, Exclusive
/// Shelf, Binding, Year Published and Original Publication Year are optional; all others are
/// ignored. Columns may have any order. Goodreads exports one edition per book.
public struct GoodreadsExport {
  private static let required = ["Title", "Author", "ISBN13"]

  /// The number of books so far with an empty or invalid ISBN13.
  public private(set) var booksWithoutISBN = 0

  private let path: String
  private var reader: CSVReader
  private let columns: [String: Int]

  /// Opens an export and checks its header.
  ///
  /// - Throws: `unreadable`, or `malformedCSV` for an empty file or an unexpected header.
  public init(path: String) throws(LibraryError) {
    self.path = path
    reader = try CSVReader(path: path)
    guard let header = try reader.next() else {
      throw .malformedCSV(path: path, line: 1, column: 1, problem: .empty)
    }
    var columns: [String: Int] = [:]
    for (index, field) in header.enumerated() {
      let name = field.text.trimmingCharacters(in: .whitespaces)
      guard columns.updateValue(index, forKey: name) == nil else {
        throw .malformedCSV(
          path: path, line: field.line, column: field.column, problem: .repeatedColumn(name))
      }
    }
    self.columns = columns
    let missing = Self.required.filter { columns[$0] == nil }
    guard missing.isEmpty else {
      throw .malformedCSV(path: path, line: 1, column: 1, problem: .missingColumns(missing))
    }
  }

  /// Returns the next book, or nil at the end.
  ///
  /// - Throws: `malformedCSV` or `unreadable`. Reading can continue after a row with a wrong number
  ///   of fields, an invalid value, bytes that are not UTF-8 or a NUL byte, but not after a
  ///   misplaced quote.
  public mutating func next() throws(LibraryError) -> NewBook? {
    guard let row = try reader.next() else { return nil }
    guard row.count == columns.count else {
      throw .malformedCSV(
        path: path, line: row[0].line, column: 1,
        problem: .fieldCount(found: row.count, expected: columns.count))
    }
    let title = text("Title", of: row)
    guard !title.isEmpty else { throw malformed("Title", of: row, expected: "a title") }
    let isbn = ISBN13(text("ISBN13", of: row).filter { $0 != "=" && $0 != "\"" })
    if isbn == nil { booksWithoutISBN += 1 }
    let edition = EditionDetails(
      isbn: isbn, format: BookFormat(goodreadsBinding: text("Binding", of: row)),
      publicationDate: try year(of: row))
    let entry = UserEntryDetails(
      status: ReadingStatus(rawValue: text("Exclusive Shelf", of: row)) ?? .toRead,
      rating: try rating(of: row), shelves: shelves(of: row), addedSeconds: try added(row))
    return NewBook(
      title: title, author: text("Author", of: row), editions: [edition], userEntry: entry)
  }

  // MARK: - Values

  private func text(_ column: String, of row: [CSVField]) -> String {
    guard let index = columns[column] else { return "" }
    return row[index].text.trimmingCharacters(in: .whitespaces)
  }

  private func malformed(_ column: String, of row: [CSVField], expected: String) -> LibraryError {
    let field = row[columns[column] ?? 0]
    return .malformedCSV(
      path: path, line: field.line, column: field.column,
      problem: .value(column: column, text: field.text, expected: expected))
  }

  private func rating(of row: [CSVField]) throws(LibraryError) -> Int {
    let text = text("My Rating", of: row)
    if text.isEmpty { return 0 }
    guard let rating = Int(text), (0...5).contains(rating) else {
      throw malformed("My Rating", of: row, expected: "a number from 0 to 5")
    }
    return rating
  }

  private func year(of row: [CSVField]) throws(LibraryError) -> String {
    for column in ["Year Published", "Original Publication Year"] {
      let text = text(column, of: row)
      if text.isEmpty { continue }
      // Goodreads writes years BCE as negative numbers.
      guard Int(text) != nil else { throw malformed(column, of: row, expected: "a year") }
      return text
    }
    return ""
  }

  private func shelves(of row: [CSVField]) -> [String] {
    text("Bookshelves", of: row).split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  private func added(_ row: [CSVField]) throws(LibraryError) -> Int64 {
    let text = text("Date Added", of: row)
    if text.isEmpty { return 0 }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
      (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
    else {
      throw malformed("Date Added", of: row, expected: "a date of the form 2025/11/03")
    }
    return Int64(daysSince1970(year: year, month: month, day: day)) * 86_400
  }
}

/// Returns the days from 1970-01-01 to a date of the proleptic Gregorian calendar.
///
/// Years start in March here, so that the leap day is the last day. Source: H. Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
func daysSince1970(year: Int, month: Int, day: Int) -> Int {
  let shifted = month <= 2 ? year - 1 : year
  let era = (shifted >= 0 ? shifted : shifted - 399) / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

extension BookFormat {
  /// Creates the format of a Goodreads binding.
  init(goodreadsBinding binding: String) {
    switch binding.lowercased() {
    case "hardcover", "library binding", "leather bound": self = .hardcover
    case "paperback", "mass market paperback", "trade paperback": self = .paperback
    case "kindle edition", "ebook", "nook": self = .ebook
    case "audiobook", "audio cd", "audible audio", "audio cassette": self = .audiobook
    default: self = .other
    }
  }
}
