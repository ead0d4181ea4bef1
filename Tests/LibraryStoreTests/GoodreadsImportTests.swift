import Foundation
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `Goodreads import` {
  /// The header of an export of 2024.
  static let header = """
    Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,\
    Publisher,Binding,Number of Pages,Year Published,Original Publication Year,Date Read,Date Added,\
    Bookshelves,Bookshelves with positions,Exclusive Shelf,My Review,Spoiler,Private Notes,\
    Read Count,Owned Copies
    """
  static let persuasion = #"""
    2156,Persuasion,Jane Austen,"Austen, Jane","Deidre Shauna Lynch, James Kinsley",\#
    "=""0192802631""","=""9780192802637""",5,4.15,Oxford,Paperback,249,2004,1817,2023/02/11,\#
    2023/01/15,"classics, favourites","classics (#3), favourites (#1)",read,"A ""quiet"" book,
    in two lines.",,,1,0
    """#

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func importing(_ csv: String, batch: InsertBatch = .books(100)) throws -> LibraryStore {
    let library = try LibraryStore(path: folder("\(UUID().uuidString).sqlite"))
    try library.importBooks(path: try folder.write(csv, to: "export.csv"), batch: batch)
    return library
  }

  func failure(of csv: String) throws -> (line: Int, column: Int, problem: CSVProblem)? {
    let path = try folder.write(csv, to: "export.csv")
    do throws(LibraryError) {
      var export = try BookExport(path: path)
      while try export.next() != nil {}
      return nil
    } catch {
      guard case .malformedCSV(_, let line, let column, let problem) = error else { throw error }
      return (line, column, problem)
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `a row of an export is imported with every line ending`(lineEnd: String) throws {
    let csv = "\(Self.header)\n\(Self.persuasion)\n".replacingOccurrences(of: "\n", with: lineEnd)
    let library = try importing(csv)
    let row = try #require(try library.page(offset: 0, limit: 2).first)
    #expect(row.title == "Persuasion")
    #expect(row.author == "Jane Austen")
    let edition = try #require(try library.bestEdition(ofWork: row.workID)).details
    #expect(edition.isbn?.number == 9_780_192_802_637)
    #expect(edition.format == .paperback)
    #expect(edition.publicationDate == "2004")
    let entry = try #require(try library.userEntry(ofWork: row.workID)).details
    #expect(entry.rating == 5)
    #expect(entry.status == .read)
    #expect(entry.shelves == ["classics", "favourites"])
    // date -u -d 2023-01-15 +%s
    #expect(entry.addedSeconds == 1_673_740_800)
  }

  @Test func `a byte order mark, a missing last line break and any column order are accepted`()
    throws
  {
    let library = try importing("\u{FEFF}ISBN13,Author,Title\n=\"9780306406157\",A,T")
    #expect(try library.page(offset: 0, limit: 2).map(\.title) == ["T"])
    #expect(try library.editions(ofWork: 1).first?.details.isbn?.number == 9_780_306_406_157)
  }

  @Test func `a second import updates the books`() throws {
    let csv = "\(Self.header)\n\(Self.persuasion)\n"
    let library = try importing(csv)
    let again = csv.replacingOccurrences(of: ",5,4.15", with: ",3,4.15")
    let path = try folder.write(again, to: "again.csv")
    let summary = try library.importBooks(path: path)
    #expect(summary.books.updated == 1)
    #expect(summary.books.inserted == 0)
    #expect(try library.page(offset: 0, limit: 2).map(\.rating) == [3])
  }

  @Test func `books without a valid ISBN are counted`() throws {
    let library = try LibraryStore(path: folder("library.sqlite"))
    let path = try folder.write(
      "Title,Author,ISBN13\nA,B,\nC,D,\"=\"\"\"\"\"\nE,F,9780306406158\nG,H,9780306406157\n",
      to: "export.csv")
    let summary = try library.importBooks(path: path)
    #expect(summary.withoutISBN == 3)
    #expect(summary.books.inserted == 4)
  }

  @Test func `an export without books leaves the library empty`() throws {
    #expect(try importing("\(Self.header)\n").isEmpty())
  }

  @Test func `a malformed row keeps the batches before it`() throws {
    let rows = (0..<5).map { "T\($0),A,\n" }.joined()
    let path = try folder.write("Title,Author,ISBN13\n\(rows)T5,A\n", to: "export.csv")
    for (batch, kept) in [(InsertBatch.books(2), 4), (.all, 0)] {
      let library = try LibraryStore(path: folder("\(kept).sqlite"))
      #expect(throws: LibraryError.self) {
        try library.importBooks(path: path, batch: batch)
      }
      #expect(try library.count() == kept)
    }
  }

  @Test(arguments: [
    ("", 1, 1, CSVProblem.empty),
    ("\n\n", 1, 1, .empty),
    ("Name,Author\n", 1, 1, .missingColumns(["Title", "ISBN13"])),
    ("Title,Author,ISBN13,Title\n", 1, 21, .repeatedColumn("Title")),
    ("Title,Author,ISBN13\nA,B\n", 2, 1, .fieldCount(found: 2, expected: 3)),
    ("Title,Author,ISBN13\nA,B,,x\n", 2, 1, .fieldCount(found: 4, expected: 3)),
    // The quote opens after "A,".
    ("Title,Author,ISBN13\nA,\"B,\nC,D,\n", 2, 3, .unclosedQuote),
    ("Title,Author,ISBN13\n\"A\"a,B,\n", 2, 4, .textAfterQuote),
    // Columns count characters; both letters have two bytes.
    ("Title,Author,ISBN13\n\"ÄÖ\"a,B,\n", 2, 5, .textAfterQuote),
    // The row before contains a line break inside quotes.
    ("Title,Author,ISBN13\n\"A\nA\",B,\nA,\"B\"b,\n", 4, 6, .textAfterQuote),
    (
      "Title,Author,ISBN13,My Rating\nA,B,,6\n", 2, 6,
      .value(column: "My Rating", text: "6", expected: "a number from 0 to 5")
    ),
    (
      "Title,Author,ISBN13,Date Added\nA,B,,2021/02/31\n", 2, 6,
      .value(column: "Date Added", text: "2021/02/31", expected: "a date such as 2025/11/03")
    ),
    (
      "Title,Author,ISBN13,Year Published\nA,B,,MMIV\n", 2, 6,
      .value(column: "Year Published", text: "MMIV", expected: "a year")
    ),
    ("Title,Author,ISBN13\n,B,\n", 2, 1, .value(column: "Title", text: "", expected: "a title")),
  ])
  func `a malformed file is reported with line and column`(
    csv: String, line: Int, column: Int, problem: CSVProblem
  ) throws {
    let failure = try #require(try failure(of: csv))
    #expect(failure.problem == problem)
    #expect(failure.line == line)
    #expect(failure.column == column)
  }

  @Test func `an unclosed quote stops at the row limit`() throws {
    let csv = "Title,Author,ISBN13\nA,\"" + String(repeating: "B\n", count: CSVReader.rowLimit)
    let failure = try #require(try failure(of: csv))
    #expect(failure.problem == .rowTooLong(limit: CSVReader.rowLimit))
    #expect(failure.line == 2)
    #expect(failure.column == 3)
  }

  @Test func `rows across chunk borders stay intact`() throws {
    // Rows have 37 bytes and chunks 65,536, so chunks end inside fields, quotes and CRLF.
    let rows = (0..<5_000).map { "\"T \"\"\(100_000 + $0)\"\"\",\"Author, An\",,\r\n" }.joined()
    var export = try BookExport(
      path: try folder.write("Title,Author,ISBN13,X\r\n" + rows, to: "export.csv"))
    var count = 0
    while let book = try export.next() {
      #expect(book.title == "T \"\(100_000 + count)\"")
      count += 1
    }
    #expect(count == 5_000)
  }

  @Test func `a missing file is reported as unreadable`() {
    let path = folder("none.csv")
    #expect(
      throws: LibraryError.unreadable(path: path, reason: "No such file or directory")
    ) { try BookExport(path: path) }
  }
}
