import Foundation
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `Import into a library with books` {
  let folder: TemporaryFolder
  let library: LibraryStore

  init() throws {
    folder = try TemporaryFolder()
    library = try LibraryStore(path: folder("library.sqlite"))
  }

  /// Numbers with valid check digits.
  static let numbers = (0..<4).compactMap { ISBN13(firstTwelve: 978_300_000_000 + $0) }

  @discardableResult
  func importing(_ rows: String..., into other: LibraryStore? = nil) throws -> ImportSummary {
    let text = "Title,Author,ISBN13,My Rating\n" + rows.joined(separator: "\n")
    return try (other ?? library).importBooks(path: try folder.write(text, to: "export.csv"))
  }

  func isbns(_ workID: Int64) throws -> [ISBN13?] {
    try library.editions(ofWork: workID).map(\.details.isbn)
  }

  @Test(arguments: ladder)
  func `an ISBN that is added later completes the edition`(
    configuration: LibraryConfiguration
  ) throws {
    let other = try LibraryStore(
      path: folder("\(UUID().uuidString).sqlite"), configuration: configuration)
    try importing("Dune,Frank Herbert,,4", "Emma,Jane Austen,\(Self.numbers[0]),4", into: other)
    let summary = try importing(
      "Dune,Frank Herbert,\(Self.numbers[1]),5", "Emma,Jane Austen,\(Self.numbers[2]),3",
      into: other)
    #expect(summary.books.updated == 2)
    #expect(try other.page(offset: 0, limit: 9).map(\.rating) == [5, 3])
    #expect(try other.editions(ofWork: 1).map(\.details.isbn) == [Self.numbers[1]])
    // The other number of a known book is that of a further edition.
    #expect(
      try other.editions(ofWork: 2).map(\.details.isbn) == [Self.numbers[0], Self.numbers[2]])
  }

  @Test(arguments: [
    ("dune", "FRANK HERBERT"), ("Dune!", "Frank Herbert"), ("Düne", "Frank  Herbert"),
    ("Dune", "\"Frank Herbert, Brian Herbert\""),
  ])
  func `case, accents, punctuation and further authors do not count`(
    title: String, author: String
  ) throws {
    try importing("Dune,Frank Herbert,,4")
    let summary = try importing("\(title),\(author),\(Self.numbers[0]),5")
    #expect(summary.books.updated == 1)
    #expect(summary.books.inserted == 0)
  }

  @Test func `an author with the names in another order is another author`() throws {
    try importing("Dune,Frank Herbert,,4")
    let summary = try importing("Dune,Herbert; Frank,\(Self.numbers[0]),5")
    #expect(summary.books.updated == 0)
    #expect(summary.books.inserted == 1)
  }

  @Test(arguments: [
    ("C", "C++"), ("C", "C#"), ("Volume 1", "Volume 2"), ("!", "?"), ("本", "本棚"),
    ("Saga (Saga #1)", "Saga (Saga #2)"),
  ])
  func `different titles stay different books`(first: String, second: String) throws {
    try importing("\(first),A,,4")
    #expect(try importing("\(second),A,,4").books.inserted == 1)
  }

  @Test func `two editions of one title in a file stay two books`() throws {
    let rows = ["Emma,Jane Austen,\(Self.numbers[0]),4", "Emma,Jane Austen,\(Self.numbers[1]),5"]
    for round in 0..<2 {
      #expect(try importing(rows[0], rows[1]).books.inserted == (round == 0 ? 2 : 0))
    }
    // The number of the second book is replaced; the first book has its row.
    try importing(rows[0], "Emma,Jane Austen,\(Self.numbers[2]),1")
    #expect(try library.page(offset: 0, limit: 9).map(\.rating) == [4, 1])
    #expect(try isbns(2) == [Self.numbers[1], Self.numbers[2]])
  }

  @Test func `a further edition before the known one in a file is a new book`() throws {
    let known = "Emma,Jane Austen,\(Self.numbers[0]),4"
    try importing(known)
    let summary = try importing("Emma,Jane Austen,\(Self.numbers[1]),5", known)
    #expect(summary.books.inserted == 1)
    #expect(summary.books.updated == 1)
    #expect(try library.page(offset: 0, limit: 9).map(\.rating) == [4, 5])
    #expect(try isbns(1) == [Self.numbers[0]])
  }

  @Test func `a row without a number updates the book that has one`() throws {
    try importing("Dune,Frank Herbert,\(Self.numbers[0]),4")
    #expect(try importing("Dune,Frank Herbert,,2").books.updated == 1)
    #expect(try library.page(offset: 0, limit: 9).map(\.rating) == [2])
    #expect(try isbns(1) == [Self.numbers[0]])
  }

  @Test func `a completed edition keeps its cover and quality`() throws {
    try library.insert([
      NewBook(
        title: "Dune", author: "Frank Herbert",
        editions: [
          EditionDetails(format: .ebook, cover: "e.jpg"),
          EditionDetails(format: .paperback, cover: "p.jpg", dataQuality: 90),
        ])
    ])
    let path = try folder.write(
      "Title,Author,ISBN13,Binding\nDune,Frank Herbert,\(Self.numbers[0]),Paperback\n", to: "e.csv")
    try library.importBooks(path: path)
    let editions = try library.editions(ofWork: 1).map(\.details)
    #expect(editions.map(\.cover) == ["e.jpg", "p.jpg"])
    #expect(editions.map(\.isbn) == [nil, Self.numbers[0]])
    #expect(editions[1].dataQuality == 90)
  }

  @Test func `an import ends after the limit of books`() throws {
    let rows = (0..<50).map { "T\($0),A,,1\n" }.joined()
    let path = try folder.write("Title,Author,ISBN13,My Rating\n" + rows, to: "export.csv")
    #expect(try library.importBooks(path: path, batch: .books(7), limit: 20).books.inserted == 20)
    #expect(try library.count() == 20)
  }

  @Test func `a pipe is refused without waiting for it`() throws {
    let pipe = folder("pipe.csv")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(
      throws: LibraryError.unreadable(path: pipe, reason: "it is not a regular file")
    ) { try library.importBooks(path: pipe) }
  }
}
