internal import LibraryStore

/// The user's export of a library, of which a number of books is used.
struct UserExport {
  let path: String
  let rows: MalformedRows
  /// The largest number of books.
  let limit: Int

  /// Reads the first books and keeps the first book per ISBN.
  ///
  /// Memory holds these books, never the whole file.
  func books(_ report: DatasetReport) throws(DatasetError) -> [NewBook] {
    var books: [NewBook] = []
    var known: Set<ISBN13> = []
    do throws(LibraryError) {
      var export = try BookExport(path: path, malformedRows: rows)
      while let book = try export.next() {
        if let isbn = book.editions.first?.isbn, !known.insert(isbn).inserted { continue }
        guard books.count < limit else {
          report.warn(.booksLeftOut(limit: limit))
          break
        }
        books.append(book)
      }
      warn(about: export, report)
    } catch {
      throw .library(error)
    }
    guard !books.isEmpty else { throw .noBooks(path: path) }
    return books
  }

  private func warn(about export: BookExport, _ report: DatasetReport) {
    if export.skipped.count > 0 { report.warn(.skippedRows(export.skipped, of: path)) }
    if export.rowsInWindows1252 > 0 {
      report.warn(.inWindows1252(export.rowsInWindows1252, of: path))
    }
    if export.booksWithoutISBN > 0 { report.warn(.withoutISBN(export.booksWithoutISBN)) }
  }
}
