import LibraryStore
import PerfTestSupport
import Testing

struct `Library` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func store(_ configuration: LibraryConfiguration) throws -> LibraryStore {
    try LibraryStore(path: folder("library.sqlite"), configuration: configuration)
  }

  @Test(arguments: ladder)
  func `a new library is empty`(configuration: LibraryConfiguration) throws {
    let library = try store(configuration)
    #expect(try library.isEmpty())
    #expect(try library.count() == 0)
    #expect(try library.page(offset: 0, limit: 50).isEmpty)
    #expect(try library.bestEdition(ofWork: 1) == nil)
    #expect(try library.userEntry(ofWork: 1) == nil)
  }

  @Test(arguments: ladder)
  func `a library returns the inserted books`(configuration: LibraryConfiguration) throws {
    let library = try store(configuration)
    let books = sampleBooks(7)
    #expect(try library.insert(books) == 7)
    #expect(try !library.isEmpty())
    let page = try library.page(offset: 0, limit: 100)
    #expect(page.count == 7)
    for (row, book) in zip(page, books) {
      #expect(row.title == book.title)
      #expect(row.author == book.author)
      #expect(row.confidence == book.confidence)
      #expect(try library.editions(ofWork: row.workID).map(\.details) == book.editions)
      #expect(try library.userEntry(ofWork: row.workID)?.details == book.userEntry)
    }
  }

  @Test func `every configuration returns the same pages`() throws {
    let sorted = sampleBooks(200)
    // 73 and 200 have no common factor, so this is a permutation.
    let books = sorted.indices.map { sorted[$0 * 73 % 200] }
    let pages = try ladder.enumerated().map { number, configuration in
      let library = try LibraryStore(
        path: folder("\(number).sqlite"), configuration: configuration)
      try library.insert(books, batch: .all)
      return try library.page(offset: 30, limit: 60)
    }
    #expect(pages[0].count == 60)
    #expect(pages[0].map(\.title) == (30..<90).map { "Title \(10_000 + $0)" })
    for page in pages { #expect(page == pages[0]) }
  }

  @Test func `a page ends at the end of the library`() throws {
    let library = try store(.optimised)
    try library.insert(sampleBooks(5))
    #expect(try library.page(offset: 3, limit: 10).count == 2)
    #expect(try library.page(offset: 5, limit: 10).isEmpty)
    #expect(try library.page(offset: 0, limit: 0).isEmpty)
  }

  // Edition 24 scores 37: hardcover 3, cover 10, year 2024 24. Among the hardcovers with a cover
  // (multiples of 6), it is the first of 2024 (4 more than a multiple of 5).
  @Test(arguments: ladder)
  func `the best of fifty editions is found`(configuration: LibraryConfiguration) throws {
    let library = try store(configuration)
    try library.insert([fiftyEditions])
    let workID = try #require(try library.page(offset: 0, limit: 1).first).workID
    let best = try #require(try library.bestEdition(ofWork: workID))
    #expect(best.details.qualityScore == 37)
    #expect(best.details.cover == "24.jpg")
  }

  @Test(arguments: [InsertBatch.books(1), .books(3), .books(100), .all])
  func `insert accepts batches of any size`(batch: InsertBatch) throws {
    let library = try store(.optimised)
    #expect(try library.insert(sampleBooks(10), batch: batch) == 10)
    #expect(try library.count() == 10)
  }

  @Test(arguments: [(InsertBatch.books(4), 4), (.books(1), 6), (.all, 0)])
  func `a failed batch keeps the batches before it`(batch: InsertBatch, kept: Int) throws {
    let library = try store(.optimised)
    var books = sampleBooks(8)
    books[6].editions = books[2].editions
    #expect(throws: LibraryError.duplicateISBN(path: library.path)) {
      try library.insert(books, batch: batch)
    }
    #expect(try library.count() == kept)
  }

  @Test(arguments: ladder)
  func `an upsert updates books by ISBN and adds the others`(configuration: LibraryConfiguration)
    throws
  {
    let library = try store(configuration)
    try library.insert(sampleBooks(5))
    var books = sampleBooks(8)
    books[0].title = "Another title"
    books[0].editions[0].publicationDate = "2030"
    books[0].userEntry = UserEntryDetails(status: .reading, rating: 4)
    let summary = try library.upsert(books)
    #expect(summary.updated == 5)
    #expect(summary.inserted == 3)
    #expect(try library.count() == 8)
    let row = try #require(try library.page(offset: 0, limit: 1).first)
    #expect(row.title == "Another title")
    #expect(row.status == .reading)
    #expect(row.rating == 4)
    let editions = try library.editions(ofWork: row.workID)
    #expect(editions.map(\.details) == books[0].editions)
  }

  @Test(arguments: ladder)
  func `an upsert updates the best edition`(configuration: LibraryConfiguration) throws {
    let library = try store(configuration)
    var book = sampleBooks(3)[2]
    try library.insert([book])
    let workID = try #require(try library.page(offset: 0, limit: 1).first).workID
    for year in [2060, 1990, 2080] {
      book.editions[1].publicationDate = "\(year)"
      try library.upsert([book])
      let best = book.editions.max { $0.qualityScore < $1.qualityScore }
      #expect(try library.bestEdition(ofWork: workID)?.details == best)
    }
  }

  @Test func `books without ISBN are identified by title and author`() throws {
    let library = try store(.optimised)
    let first = NewBook(title: "T", author: "A", editions: [EditionDetails(format: .ebook)])
    let second = NewBook(title: "T", author: "B", editions: [])
    #expect(try library.upsert([first, second]).inserted == 2)
    #expect(try library.upsert([second, first]).updated == 2)
    #expect(try library.count() == 2)
  }

  @Test func `texts may contain any characters but NUL`() throws {
    let library = try store(.optimised)
    let book = NewBook(title: "Ünï'; DROP TABLE work; -- 本", author: "\"", editions: [])
    try library.insert([book])
    #expect(try library.page(offset: 0, limit: 1).first?.title == book.title)
  }
}
