import CoverCache
import Dispatch
import Foundation
import LibraryStore
import Synchronization
import PerfTestSupport
import Testing

@testable import BookWorkloads

struct BookDatasetTests {
  let folder: TemporaryFolder
  let warnings = Warnings()

  init() throws { folder = try TemporaryFolder() }

  final class Warnings: Sendable {
    let list = Mutex<[DatasetReport.Warning]>([])
    var codes: [String] { list.withLock { $0.map(\.code) } }
    var messages: [String] { list.withLock { $0.map(\.message) } }
  }

  func dataset(
    _ books: Int, covers: String = "", csv: String = "", rows: MalformedRows = .stop
  ) -> BookDataset {
    BookDataset(
      DatasetRequest(
        books: books, seed: 7, sizes: .small, covers: covers, csv: csv, rows: rows),
      cache: folder("cache"))
  }

  @discardableResult
  func prepare(_ dataset: BookDataset) throws -> Int {
    let warnings = warnings
    warnings.list.withLock { $0 = [] }
    return try dataset.prepare(
      schemas: [.original, .indexed],
      report: DatasetReport(warn: { warning in warnings.list.withLock { $0.append(warning) } }))
  }

  func rows(of dataset: BookDataset) throws -> [BookRow] {
    let library = try dataset.openLibrary(.optimised)
    return try library.page(offset: 0, limit: 10_000)
  }

  /// Creates a folder with covers and other files.
  func ownCovers(_ files: [String: Data]) throws -> String {
    let path = folder("own")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, data) in files { try data.write(to: URL(fileURLWithPath: "\(path)/\(name)")) }
    return path
  }

  func jpeg(_ index: Int) throws -> Data {
    Data(try CoverWorkshop(seed: 1, sizes: .small).encodedCover(index))
  }

  // MARK: - Generated books

  @Test func `both libraries contain the same books, each with a cover file`() throws {
    let dataset = dataset(30)
    #expect(try prepare(dataset) == 30)
    let rows = try rows(of: dataset)
    #expect(rows.count == 30)
    #expect(try dataset.openLibrary(.naive).page(offset: 0, limit: 100) == rows)
    for row in rows {
      #expect(try dataset.covers.encodedCover(for: #require(row.cover)).count > 100)
    }
    #expect(warnings.codes.isEmpty)
  }

  @Test func `a data set can be empty`() throws {
    let dataset = dataset(0)
    #expect(try prepare(dataset) == 0)
    #expect(try dataset.openLibrary(.optimised).isEmpty())
    #expect(try dataset.openLibrary(.naive).isEmpty())
  }

  @Test func `a larger data set starts with the books of a smaller one`() throws {
    let (small, large) = (dataset(10), dataset(40))
    try prepare(small)
    try prepare(large)
    #expect(small.coversFolder == large.coversFolder)
    #expect(Set(try rows(of: small).map(\.title)).isSubset(of: try rows(of: large).map(\.title)))
  }

  @Test func `a complete data set is reused and a damaged library is created again`() throws {
    let dataset = dataset(10)
    try prepare(dataset)
    let made = Mutex<[String]>([])
    let report = DatasetReport(progress: { label, _, _ in made.withLock { $0.append(label) } })
    try dataset.prepare(schemas: [.indexed], report: report)
    #expect(made.withLock { $0 } == [])
    try Data("no database".utf8)
      .write(to: URL(fileURLWithPath: dataset.libraryPath(.indexed)))
    try dataset.prepare(schemas: [.indexed], report: report)
    #expect(made.withLock { $0 } == ["library", "library"])
    #expect(try rows(of: dataset).count == 10)
  }

  @Test func `two concurrent setups create a data set once`() throws {
    let dataset = dataset(100)
    let made = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      do {
        try dataset.prepare(
          schemas: [.indexed],
          report: DatasetReport(progress: { label, _, _ in
            if label == "covers" { made.withLock { $0 += 1 } }
          }))
      } catch {
        Issue.record(error)
      }
    }
    #expect(made.withLock { $0 } == 100)
    #expect(try rows(of: dataset).count == 100)
  }

  // MARK: - The user's books and covers

  @Test func `the user's covers are used in the order of their names`() throws {
    let own = try ownCovers([
      "b.jpeg": jpeg(1), "a.JPG": jpeg(2), "notes.txt": Data("x".utf8), "c.jpg": jpeg(3),
    ])
    let dataset = dataset(3, covers: own)
    #expect(try prepare(dataset) == 3)
    #expect(dataset.coversFolder == own)
    #expect(Set(try rows(of: dataset).compactMap(\.cover)) == ["a.JPG", "b.jpeg", "c.jpg"])
    #expect(warnings.codes.isEmpty)
  }

  @Test func `truncated and fake covers are skipped and counted`() throws {
    let whole = try jpeg(1)
    let own = try ownCovers([
      "a.jpg": whole, "b.jpg": whole.prefix(whole.count / 2), "c.jpg": Data("GIF89a".utf8),
      "d.jpg": Data(),
    ])
    let dataset = dataset(1, covers: own)
    for _ in 0..<2 {
      #expect(try prepare(dataset) == 1)
      #expect(warnings.codes == ["cover.skipped"])
    }
    let message = warnings.list.withLock { $0.first?.message }
    #expect(message?.hasPrefix("3 of 4 covers in '\(own)' are skipped: ") == true)
    // A repaired cover is decoded again.
    try whole.write(to: URL(fileURLWithPath: "\(own)/b.jpg"))
    try prepare(dataset)
    #expect(warnings.codes.contains("covers.left_out"))
  }

  @Test func `a different number of covers and books causes a warning`() throws {
    let own = try ownCovers(["a.jpg": jpeg(1), "b.jpg": jpeg(2)])
    #expect(try prepare(dataset(5, covers: own)) == 2)
    #expect(warnings.codes == ["covers.fewer"])
    #expect(
      warnings.messages == [
        "'\(own)' contains 2 usable covers, so there are 2 books instead of 5"
      ])
    #expect(try prepare(dataset(1, covers: own)) == 1)
    #expect(warnings.codes == ["covers.left_out"])
    #expect(warnings.messages == ["only the first 1 covers of '\(own)' are used"])
  }

  @Test func `a folder without covers is refused`() throws {
    let empty = try ownCovers(["notes.txt": Data()])
    #expect(throws: DatasetError.noCovers(path: empty)) { try prepare(dataset(1, covers: empty)) }
    #expect {
      try prepare(dataset(1, covers: folder("none")))
    } throws: { error in
      guard case DatasetError.unreadableCovers = error else { return false }
      return true
    }
  }

  @Test func `a folder without decodable covers is refused`() throws {
    let own = try ownCovers(["a.jpg": Data("x".utf8), "b.jpg": Data()])
    #expect {
      try prepare(dataset(1, covers: own))
    } throws: { error in
      guard case DatasetError.noUsableCovers(own, 2, _) = error else { return false }
      return true
    }
  }

  @Test func `titles come from the user's export`() throws {
    let csv = try folder.write(
      """
      Title,Author,ISBN13
      Persuasion,Jane Austen,="9780192802637"
      Persuasion again,Jane Austen,="9780192802637"
      Emma,Jane Austen,

      """, to: "export.csv")
    let dataset = dataset(2, csv: csv)
    #expect(try prepare(dataset) == 2)
    let rows = try rows(of: dataset)
    #expect(rows.map(\.title) == ["Emma", "Persuasion"])
    #expect(rows.map(\.cover) == ["00001.jpg", "00000.jpg"])
    #expect(warnings.codes == ["books.without_isbn"])
  }

  @Test func `a changed export changes the library`() throws {
    let dataset = dataset(5, csv: folder("export.csv"))
    for titles in [["A"], ["A", "B"], ["C"]] {
      let lines = titles.map { "\($0),X,\n" }.joined()
      _ = try folder.write("Title,Author,ISBN13\n\(lines)", to: "export.csv")
      #expect(try prepare(dataset) == titles.count)
      #expect(try rows(of: dataset).map(\.title) == titles)
    }
  }

  @Test func `the user's covers are assigned to the user's books`() throws {
    let own = try ownCovers(["a.jpg": jpeg(1), "b.jpg": jpeg(2)])
    let csv = try folder.write(
      "Title,Author,ISBN13\nA,X,\nB,X,\nC,X,\nD,X,\n", to: "export.csv")
    let dataset = dataset(3, covers: own, csv: csv)
    #expect(try prepare(dataset) == 3)
    #expect(try rows(of: dataset).map(\.cover) == ["a.jpg", "b.jpg", "a.jpg"])
    #expect(warnings.codes == ["books.without_isbn", "books.left_out"])
    #expect(
      warnings.messages == [
        "3 books of your export have no valid ISBN and are kept without one",
        "only the first 3 books of your export are used",
      ])
  }

  @Test func `rows after the last used book are neither counted nor an error`() throws {
    // E9 is Windows-1252 for é; the row after the repeated book has no rating.
    let rows = Data("A,X,9780192802637,1\nA,X,9780192802637,1\nR".utf8) + [0xE9]
    let rest = Data(",X,,1\nC,X,,none\n".utf8)
    let csv = folder("export.csv")
    try (Data("Title,Author,ISBN13,My Rating\n".utf8) + rows + rest)
      .write(to: URL(fileURLWithPath: csv))
    #expect(try prepare(dataset(1, csv: csv, rows: .skip)) == 1)
    #expect(warnings.codes == ["books.left_out"])
    #expect(try prepare(dataset(2, csv: csv)) == 2)
    #expect(warnings.codes == ["rows.windows_1252", "books.without_isbn", "books.left_out"])
    #expect(warnings.messages[0].hasPrefix("1 rows of"))
  }

  @Test(arguments: [
    ("Title,Author,ISBN13\nA,\"B,\n", 2, 3, CSVProblem.unclosedQuote),
    ("Name,ISBN13\nA,\n", 1, 1, .missingColumns(["Title", "Author"])),
  ])
  func `the error about a broken export names the line`(
    text: String, line: Int, column: Int, problem: CSVProblem
  ) throws {
    let csv = try folder.write(text, to: "export.csv")
    let error = LibraryError.malformedCSV(path: csv, line: line, column: column, problem: problem)
    #expect(throws: DatasetError.library(error)) { try prepare(dataset(5, csv: csv)) }
  }

  @Test func `malformed rows stop the setup, or are skipped with a list`() throws {
    let csv = try folder.write(
      "Title,Author,ISBN13,My Rating\nA,X,,1\nB,X,,9\nC,X\nD,X,,2\n", to: "export.csv")
    #expect {
      try prepare(dataset(5, csv: csv))
    } throws: { error in
      let message = "\(error)"
      return message.hasPrefix("\(csv):3:6: '9'") && message.hasSuffix("--set rows=skip.")
    }
    let skipping = dataset(5, csv: csv, rows: .skip)
    #expect(try prepare(skipping) == 2)
    #expect(try rows(of: skipping).map(\.title) == ["A", "D"])
    #expect(warnings.codes == ["rows.skipped", "books.without_isbn", "books.fewer"])
    let message = try #require(warnings.list.withLock { $0.first?.message })
    #expect(message.hasPrefix("2 rows of '\(csv)' are skipped: row 3, line 3:6: '9' in the column"))
    #expect(message.contains(" row 4, line 4:1: the row has 2 fields"))
  }

  @Test func `an export in Windows-1252 causes a warning`() throws {
    let csv = folder("export.csv")
    try (Data("Title,Author,ISBN13\n".utf8) + [0xC4] + Data(",X,9780192802637\n".utf8))
      .write(to: URL(fileURLWithPath: csv))
    let dataset = dataset(1, csv: csv)
    try prepare(dataset)
    #expect(try rows(of: dataset).map(\.title) == ["Ä"])
    #expect(warnings.codes == ["rows.windows_1252"])
  }

  @Test func `an export without books is refused`() throws {
    let csv = try folder.write("Title,Author,ISBN13\n", to: "export.csv")
    #expect(throws: DatasetError.noBooks(path: csv)) { try prepare(dataset(5, csv: csv)) }
  }
}
