import Foundation
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `Exports as people have them` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func export(_ text: String, _ rows: MalformedRows = .stop) throws -> BookExport {
    try BookExport(
      path: try folder.write(text, to: "\(UUID().uuidString).csv"), malformedRows: rows)
  }

  func books(_ text: String) throws -> [NewBook] {
    var export = try export(text)
    var books: [NewBook] = []
    while let book = try export.next() { books.append(book) }
    return books
  }

  /// Returns the only book of a Goodreads export with one more column.
  func book(_ column: String, _ value: String) throws -> NewBook {
    try #require(try books("Title,Author,ISBN13,\(column)\nT,A,,\"\(value)\"\n").first)
  }

  // MARK: - Formats

  @Test func `an export of Goodreads with a number of ten digits is read`() throws {
    let text = #"""
      Book Id,Title,Author,ISBN,ISBN13,My Rating,Binding,Year Published,Date Added,Exclusive Shelf
      7,Persuasion,Jane Austen,"=""0192802631""","=""""",5,Paperback,2004.0,2023/01/15,read

      """#
    let export = try export(text)
    #expect(export.format == .goodreads)
    // 978019280263 has the weighted sum 9 + 21 + 8 + 0 + 1 + 27 + 2 + 24 + 0 + 6 + 6 + 9 = 113, so the check digit
    // is 7.
    #expect(
      try books(text) == [
        NewBook(
          title: "Persuasion", author: "Jane Austen",
          editions: [
            EditionDetails(
              isbn: ISBN13("9780192802637"), format: .paperback, publicationDate: "2004")
          ],
          userEntry: UserEntryDetails(status: .read, rating: 5, addedSeconds: 1_673_740_800))
      ])
  }

  @Test func `an export of StoryGraph is read`() throws {
    let text = """
      Title,Authors,Contributors,ISBN/UID,Format,Read Status,Date Added,Last Date Read,Dates Read,\
      Read Count,Moods,Pace,Star Rating,Review,Content Warnings,Tags,Owned?
      Always Home,"Ursula Le Guin, Todd Barton","",9780306406157,digital,did-not-finish,2021/05/10,"",\
      "",0,"",,,,,"sf, own",No
      Attention,Tim Hwang,"",0306406152,hardcover,paused,2021/05/10,"","",1,informative,fast,4.25,"","",\
      "",No
      No Number,A,"",B012345678,,to-read,2021/05/10,,,0,,,0.25,,,,No

      """
    #expect(try export(text).format == .storyGraph)
    let books = try books(text)
    #expect(books.map(\.author) == ["Ursula Le Guin, Todd Barton", "Tim Hwang", "A"])
    #expect(
      books.map { $0.editions[0].isbn?.number } == [9_780_306_406_157, 9_780_306_406_157, nil])
    #expect(books.map { $0.editions[0].format } == [.ebook, .hardcover, .other])
    #expect(books.compactMap { $0.userEntry?.status } == [.didNotFinish, .paused, .toRead])
    #expect(books.compactMap { $0.userEntry?.rating } == [0, 4, 1])
    #expect(books.compactMap { $0.userEntry?.shelves } == [["sf", "own"], [], []])
    // date -u -d 2021-05-10 +%s
    #expect(Set(books.compactMap { $0.userEntry?.addedSeconds }) == [1_620_604_800])
  }

  @Test(arguments: ["\t", ","])
  func `an export of LibraryThing is read, with tabs and with commas`(separator: String) throws {
    let rows = [
      [
        "Book Id", "Title", "Sort Character", "Primary Author", "Date", "Rating", "Media",
        "Date Started",
        "Date Read", "Tags", "Collections", "ISBN", "ISBNs", "Entry Date",
      ],
      [
        "1", "Marelle", "1", "Cortázar, Julio", "c1979", "4.5", "Paperback", "", "[2007-05-08]",
        "roman, bohème", "Your library", "[0306406152]", "0306406152, 9780306406157",
        "[2006-08-09]",
      ],
      [
        "2", "Letter", "1", "King, Martin Luther, Jr.", "", "", "Ebook", "2020-01-01", "", "",
        "Your library, Wishlist", "[]", "", "[2006-08-09]",
      ],
      ["3", "Other", "1", "Anonymous", "", "", "", "", "", "", "To read", "", "", "[2006-08-09]"],
      ["4", "Owned", "1", "Anonymous", "", "", "", "", "", "", "Your library", "", "", ""],
    ]
    let quote = separator == "," ? "\"" : ""
    let text = rows.map { $0.map { "\(quote)\($0)\(quote)" }.joined(separator: separator) }
      .joined(separator: "\n")
    #expect(try export(text).format == .libraryThing)
    let books = try books(text)
    #expect(
      books.map(\.author) == [
        "Julio Cortázar", "Martin Luther King, Jr.", "Anonymous", "Anonymous",
      ])
    #expect(books[0].editions[0].isbn?.number == 9_780_306_406_157)
    #expect(books.map { $0.editions[0].publicationDate } == ["1979", "", "", ""])
    #expect(books.compactMap { $0.userEntry?.status } == [.read, .reading, .toRead, .unspecified])
    #expect(books[0].userEntry?.rating == 5)
    #expect(books[0].userEntry?.shelves == ["Your library", "roman", "bohème"])
    // date -u -d 2006-08-09 +%s
    #expect(books[0].userEntry?.addedSeconds == 1_155_081_600)
  }

  @Test func `a catalogue of Calibre is read with the columns that the user chose`() throws {
    let text = """
      \u{FEFF}authors,rating,timestamp,formats,isbn,identifiers,tags,title,pubdate,#shelf
      "Seanan McGuire","4.5","2021-01-19T22:41:16+01:00","epub, azw3","","goodreads:39077187,isbn:9780306406157",\
      "Fantasy, Magic","Witchcraft","2019-03-05T01:00:00+01:00",""
      "A, B","","2021-01-19T22:41:16+01:00","","080442957","","","Other","0101-01-01T00:00:00+00:00","x"

      """
    #expect(try export(text).format == .calibre)
    let books = try books(text)
    #expect(books.map(\.title) == ["Witchcraft", "Other"])
    // Calibre has removed the check digit of 080442957X.
    #expect(
      books.map { $0.editions[0].isbn?.number } == [9_780_306_406_157, 9_780_804_429_573])
    #expect(books.map { $0.editions[0].format } == [.ebook, .other])
    #expect(books.map { $0.editions[0].publicationDate } == ["2019", ""])
    #expect(books.compactMap { $0.userEntry?.status } == [.unspecified, .unspecified])
    #expect(books[0].userEntry?.rating == 5)
    #expect(books[0].userEntry?.shelves == ["Fantasy", "Magic"])
    // date -u -d 2021-01-19T22:41:16+01:00 +%s
    #expect(books[0].userEntry?.addedSeconds == 1_611_092_476)
    #expect(try self.books("title,authors\nT,A\n").map(\.title) == ["T"])
  }

  // MARK: - Shelves

  @Test(arguments: [
    ("did-not-finish", "did-not-finish", []), ("DNF", "did-not-finish", ["DNF"]),
    ("abandoned", "did-not-finish", ["abandoned"]), ("on-hold", "paused", ["on-hold"]),
    ("Currently Reading", "currently-reading", []), ("to_read", "to-read", []),
    ("Read", "read", []),
    ("unfinished", "unfinished", []), ("Read 2024", "Read 2024", []), ("本棚", "本棚", []),
    ("", "", []),
  ])
  func `an exclusive shelf gives a status and keeps its name`(
    shelf: String, status: String, shelves: [String]
  ) throws {
    let entry = try #require(try book("Exclusive Shelf", shelf).userEntry)
    #expect(entry.status == ReadingStatus(rawValue: status))
    #expect(entry.shelves == shelves)
    let library = try LibraryStore(path: folder("library.sqlite"))
    try library.insert([NewBook(title: "T", author: "A", editions: [], userEntry: entry)])
    #expect(try library.userEntry(ofWork: 1)?.details == entry)
    #expect(try library.page(offset: 0, limit: 1).first?.status == entry.status)
  }

  @Test func `without an exclusive shelf the date of reading or a shelf gives the status`() throws {
    #expect(try book("Date Read", "2021/01/01").userEntry?.status == .read)
    #expect(try book("Bookshelves", "owned, to-read").userEntry?.status == .toRead)
    #expect(try book("Bookshelves", "owned").userEntry?.status == .unspecified)
  }

  // MARK: - Numbers

  @Test(arguments: [
    ("1999", "1999"), ("1999.0", "1999"), ("1999,0", "1999"), (" 1999.00 ", "1999"),
    ("-500", "-500"),
    ("", ""), ("0", ""), ("0.0", ""),
  ])
  func `a year may be a decimal number`(text: String, year: String) throws {
    #expect(try book("Year Published", text).editions[0].publicationDate == year)
  }

  @Test(arguments: ["1999.5", "MMIV", "19999", "nan", "0x7D0", "1999-2000"])
  func `another year costs its row`(text: String) throws {
    #expect(throws: LibraryError.self) { try book("Year Published", text) }
  }

  @Test(arguments: [
    ("4", 4), ("4.0", 4), ("4,5", 5), ("0", 0), ("", 0), ("0.5", 1), ("4.25", 4), ("5", 5),
  ])
  func `stars are rounded to whole ones`(text: String, stars: Int) throws {
    #expect(try book("My Rating", text).userEntry?.rating == stars)
  }

  // 9780306406157 is the number of 0306406152; the last two are an ASIN and a number that a spreadsheet has rounded.
  @Test(arguments: [
    ("9780306406157", true), ("9780306406157.0", true), ("978-0-306-40615-7", true),
    ("'9780306406157", true), ("[0306406152]", true), ("0306406152", true), ("306406152", true),
    ("306406152.0", true), ("9780306406158", false), ("B030640615", false),
    ("9.78031E+12", false),
  ])
  func `a number is recognised as spreadsheets and programs decorate it`(
    text: String, isValid: Bool
  ) throws {
    let isbn = try book("ISBN", text).editions[0].isbn
    #expect(isbn == (isValid ? ISBN13("9780306406157") : nil))
  }

  // MARK: - Rows and columns

  @Test func `empty columns at the end and rows of commas are ignored`() throws {
    for text in [
      "Title,Author,ISBN13,,\nA,B,,,\nC,D,\n", "Title,Author,ISBN13\nA,B,,,,\n,,,,\n,,\nC,D,\n,,",
      "Title,Author,ISBN13,\nA,B,,\n,,,\nC,D,,\n",
    ] {
      #expect(try books(text).map(\.title) == ["A", "C"])
    }
  }

  @Test func `a second column of a name matters only where the name is read`() throws {
    #expect(try books("Title,Author,ISBN13,Note,Note\nA,B,,x,y\n").count == 1)
    #expect(throws: LibraryError.self) { try books("Title,Author,ISBN13,Date Read,Date Read\n") }
  }

  @Test func `an unknown header names the columns and the programs`() throws {
    #expect {
      try books("Name,ISBN\n")
    } throws: { error in
      let message = "\(error)"
      return ["'Title'", "'Author'", "Goodreads", "StoryGraph", "LibraryThing", "Calibre"]
        .allSatisfy(message.contains)
    }
  }

  @Test func `a long value is shortened in the error`() throws {
    #expect {
      try book("My Rating", String(repeating: "9", count: 1_000))
    } throws: { "\($0)".count < 300 }
  }

  // MARK: - Dates

  func added(_ dates: [String]) throws -> [Int64?] {
    var export = try export(
      "Title,Author,ISBN13,Date Added\n" + dates.map { "T,A,,\"\($0)\"\n" }.joined(), .skip)
    var added: [Int64?] = []
    while let book = try export.next() { added.append(book.userEntry?.addedSeconds) }
    return added
  }

  // date -u -d DATE +%s: 2021-03-04, 2021-04-03, 2020-12-25.
  @Test func `another date of the file decides the order of day and month`() throws {
    #expect(try added(["3/4/2021", "12/25/2020"]) == [1_614_816_000, 1_608_854_400])
    #expect(try added(["3/4/2021", "25/12/2020"]) == [1_617_408_000, 1_608_854_400])
    #expect(try added(["2021/12/25", "2/31/2021", "3/4/2021", "12/25/2020"]).count == 3)
  }

  @Test func `a date of two meanings costs its row when no other or both orders occur`() throws {
    #expect(try added(["3/4/2021", "5/6/2021", "7/7/2021"]).count == 1)
    #expect(try added(["3/4/2021", "12/25/2020", "25/12/2020"]).count == 2)
  }

  @Test func `the date of reading decides the order of the dates of adding`() throws {
    let books = try books(
      "Title,Author,ISBN13,Date Read,Date Added\nT,A,,,3/4/2021\nU,A,,2/28/2021,3/4/2021\n")
    #expect(books.map { $0.userEntry?.addedSeconds } == [1_614_816_000, 1_614_816_000])
  }
}
