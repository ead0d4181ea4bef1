internal import LibraryStore

/// The user's export of a library, of which a number of books is used.
struct UserExport {
  let path: String
  let rows: MalformedRows
  /// The largest number of books.
  let limit: Int

  /// Reads the first books and keeps the first book per ISBN.
  ///
  /// Memory holds these books, never the whole file. The warnings are about the rows up to the last
  /// one of them.
  func books(_ report: DatasetReport) throws(DatasetError) -> [NewBook] {
    var books: [NewBook] = []
    var known: Set<ISBN13> = []
    do throws(LibraryError) {
      var export = try BookExport(path: path, malformedRows: rows)
      while books.count < limit, let book = try export.next() {
        if let isbn = book.editions.first?.isbn, !known.insert(isbn).inserted { continue }
        books.append(book)
      }
      warn(about: export, report)
      if books.count == limit, Self.hasMore(&export, than: known) {
        report.warn(.booksLeftOut(limit: limit))
      }
    } catch {
      throw .library(error)
    }
    guard !books.isEmpty else { throw .noBooks(path: path) }
    return books
  }

  /// Returns whether a further row of an export is no repetition; a malformed one counts.
  private static func hasMore(_ export: inout BookExport, than known: Set<ISBN13>) -> Bool {
    do throws(LibraryError) {
      while let book = try export.next() {
        guard let isbn = book.editions.first?.isbn, known.contains(isbn) else { return true }
      }
      return false
    } catch {
      return true
    }
  }

  private func warn(about export: BookExport, _ report: DatasetReport) {
    if export.skipped.count > 0 { report.warn(.skippedRows(export.skipped, of: path)) }
    if export.rowsInWindows1252 > 0 {
      report.warn(.inWindows1252(export.rowsInWindows1252, of: path))
    }
    if export.booksWithoutISBN > 0 { report.warn(.withoutISBN(export.booksWithoutISBN)) }
  }
}
