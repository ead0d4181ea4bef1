import Foundation
import GRDB
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `Import in bad conditions` {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("library.sqlite")
  }

  /// Rows with valid ISBNs in the columns Title, Author, ISBN13, My Rating.
  static func rows(_ numbers: Range<Int>) -> String {
    numbers.map { number in
      let isbn = ISBN13(firstTwelve: 978_300_000_000 + Int64(number))
      return "Title \(number),Author,=\"\(isbn?.description ?? "")\",\(number % 6)\n"
    }.joined()
  }

  static let header = "Title,Author,ISBN13,My Rating\n"

  func export(_ rows: String) throws -> String {
    try folder.write(Self.header + rows, to: "export.csv")
  }

  func titles(_ library: LibraryStore) throws -> [String] {
    try library.page(offset: 0, limit: .max).map(\.title)
  }

  // MARK: - Rows

  @Test func `a repeated book is imported once and counted`() throws {
    let library = try LibraryStore(path: path)
    let csv = try export(
      Self.rows(0..<3) + "Title 1,Author,9783000000010,5\n" + "No number,A,,1\nNo number,A,,2\n")
    let summary = try library.importBooks(path: csv)
    #expect(ISBN13(firstTwelve: 978_300_000_001)?.number == 9_783_000_000_010)
    #expect(summary.books.inserted == 4)
    #expect(summary.books.updated == 0)
    #expect(summary.repeated == 2)
    #expect(summary.conflicting == 0)
    // The first row of each book counts.
    #expect(try library.page(offset: 0, limit: 10).map(\.rating) == [1, 0, 1, 2])
  }

  @Test func `two books with one ISBN are both imported`() throws {
    let library = try LibraryStore(path: path)
    let csv = try export(Self.rows(0..<2) + "Other,B,9783000000010,4\n")
    for round in 0..<3 {
      let summary = try library.importBooks(path: csv)
      #expect(summary.books.inserted == (round == 0 ? 3 : 0))
      #expect(summary.books.updated == (round == 0 ? 0 : 3))
      #expect(summary.conflicting == 1)
      #expect(try titles(library) == ["Other", "Title 0", "Title 1"])
    }
    let row = try #require(try library.page(offset: 0, limit: 1).first)
    #expect(try library.editions(ofWork: row.workID).map(\.details.isbn) == [nil])
  }

  @Test func `malformed rows can be skipped and are counted with their numbers and lines`() throws {
    let library = try LibraryStore(path: path)
    let csv = folder("export.csv")
    var bytes = Data((Self.header + Self.rows(0..<2)).utf8)
    bytes += Data("Too,few\n".utf8) + Self.rows(2..<3).utf8
    // The row of two lines is UTF-8 beyond ASCII, so the file cannot be Windows-1252.
    bytes += Data("\"Zwölf\nZeilen\",A,,1\n".utf8)
    bytes += Data("Latin \u{1},A,,1\n".utf8.map { $0 == 1 ? 0xE4 : $0 })
    bytes += Data("Nul \0 byte,A,,1\n".utf8) + Data("T,A,,9\n".utf8) + Self.rows(3..<4).utf8
    try bytes.write(to: URL(fileURLWithPath: csv))
    let summary = try library.importBooks(path: csv, malformedRows: .skip)
    #expect(summary.books.inserted == 5)
    #expect(summary.skipped.count == 4)
    #expect(summary.skipped.first.map(\.number) == [4, 7, 8, 9])
    #expect(summary.skipped.first.map(\.line) == [4, 8, 9, 10])
    #expect(
      summary.skipped.first.map(\.problem) == [
        .fieldCount(found: 2, expected: 4), .notUTF8, .nulByte,
        .value(column: "My Rating", text: "9", expected: "a number from 0 to 5"),
      ])
    #expect(
      throws: LibraryError.malformedCSV(
        path: csv, line: 4, column: 1, problem: .fieldCount(found: 2, expected: 4))
    ) { try library.importBooks(path: csv) }
  }

  @Test func `a quote that is never closed costs one row of an import that skips rows`() throws {
    let library = try LibraryStore(path: path)
    let csv = try export(Self.rows(0..<5) + "\"never closed,A,,1\nB,C,,2\n")
    #expect(
      throws: LibraryError.malformedCSV(path: csv, line: 7, column: 1, problem: .unclosedQuote)
    ) { try library.importBooks(path: csv, batch: .books(2)) }
    #expect(try library.count() == 4)
    let summary = try library.importBooks(path: csv, malformedRows: .skip)
    #expect(
      summary.skipped.first.map(\.description) == ["row 7, line 7:1: \(CSVProblem.unclosedQuote)"])
    #expect(try library.count() == 6)
  }

  @Test func `the list of skipped rows is bounded and their number is not`() throws {
    let library = try LibraryStore(path: path)
    let csv = try export(String(repeating: "T,A,,6\n", count: 1_000) + Self.rows(0..<1))
    let skipped = try library.importBooks(path: csv, malformedRows: .skip).skipped
    #expect(skipped.count == 1_000)
    #expect(skipped.first.map(\.number) == Array(2...21))
    #expect(try library.count() == 1)
  }

  @Test func `a NUL byte is rejected by import, insert and upsert`() throws {
    let csv = try export("A\0B,C,,1\n")
    var export = try BookExport(path: csv)
    #expect(
      throws: LibraryError.malformedCSV(path: csv, line: 2, column: 1, problem: .nulByte)
    ) { try export.next() }
    let library = try LibraryStore(path: path)
    let book = NewBook(title: "A\0B", author: "C", editions: [])
    #expect(throws: LibraryError.nulInText(path: path, text: "A\0B")) {
      try library.insert([book])
    }
    #expect(throws: LibraryError.nulInText(path: path, text: "A\0B")) {
      try library.upsert([book])
    }
    #expect(try library.isEmpty())
  }

  // MARK: - The library

  @Test func `a database of a newer version is rejected`() throws {
    try LibraryStore(path: path).close()
    let newer = try DatabaseQueue(path: path)
    try newer.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('9 clubs')")
    }
    try newer.close()
    #expect(throws: LibraryError.newerSchema(path: path)) { try LibraryStore(path: path) }
  }

  @Test func `an import into a read-only library throws`() throws {
    try LibraryStore(path: path).close()
    let library = try LibraryStore(path: path, access: .readOnly)
    #expect(throws: LibraryError.readOnly(path: path)) {
      try library.importBooks(path: export(Self.rows(0..<3)))
    }
    #expect(try library.isEmpty())
  }

  @Test func `a full disk keeps the committed batches and the next import completes them`() throws {
    let csv = try export(Self.rows(0..<3_000))
    let library = try LibraryStore(path: path)
    // SQLite reports the page limit of a connection like a full disk.
    try library.writer.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA max_page_count = 60")
    }
    #expect(throws: LibraryError.diskFull(path: path)) {
      try library.importBooks(path: csv)
    }
    let kept = try library.count()
    #expect(kept > 0 && kept < 3_000 && kept.isMultiple(of: 100))
    try library.writer.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA max_page_count = 100000")
    }
    let summary = try library.importBooks(path: csv)
    #expect(summary.books.updated == kept)
    #expect(summary.books.inserted == 3_000 - kept)
    try library.verify()
  }

  @Test func `an import that cannot get the lock throws and can be repeated`() throws {
    let csv = try export(Self.rows(0..<5))
    let library = try LibraryStore(
      path: path, configuration: LibraryConfiguration(busyTimeoutSeconds: 0))
    let other = try DatabaseQueue(path: path)
    try other.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN IMMEDIATE")
      #expect(throws: LibraryError.locked(path: path)) {
        try library.importBooks(path: csv)
      }
      try database.execute(sql: "COMMIT")
    }
    #expect(try library.importBooks(path: csv).books.inserted == 5)
  }

  @Test func `an import waits for a lock`() async throws {
    let csv = try export(Self.rows(0..<5))
    let library = try LibraryStore(path: path)
    let other = try DatabaseQueue(path: path)
    let (holds, holding) = AsyncStream.makeStream(of: Void.self)
    // The lock is released when SQLite has begun to wait or slightly before; both are correct.
    async let release: Void = other.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN IMMEDIATE")
      holding.yield()
      try database.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
          SELECT count(*) FROM n
          """)
      try database.execute(sql: "COMMIT")
    }
    for await _ in holds { break }
    #expect(try library.importBooks(path: csv).books.inserted == 5)
    try await release
  }

  @Test(arguments: [(100, 400), (1, 450)])
  func `a killed import keeps its committed batches and the next import completes them`(
    batch: Int, kept: Int
  ) async throws {
    let csv = try export(Self.rows(0..<1_000))
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, csv = csv as String, batch = batch as Int] in
      let library = try LibraryStore(path: path)
      library.writer.writeWithoutTransaction {
        $0.add(transactionObserver: Killer(insertions: 451), extent: .databaseLifetime)
      }
      try library.importBooks(path: csv, batch: .books(batch))
    }
    let library = try LibraryStore(path: path)
    try library.verify()
    #expect(try library.count() == kept)
    let summary = try library.importBooks(path: csv)
    #expect(summary.books.updated == kept)
    #expect(summary.books.inserted == 1_000 - kept)
    #expect(try Set(titles(library)).count == 1_000)
  }
}

/// Kills the process at an insertion of a work, inside its transaction.
private final class Killer: TransactionObserver {
  private var left: Int

  init(insertions: Int) { left = insertions }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
    if case .insert(tableName: "work") = kind { true } else { false }
  }

  func databaseDidChange(with event: DatabaseEvent) {
    left -= 1
    if left == 0 { raise(SIGKILL) }
  }

  func databaseDidCommit(_ database: Database) {}

  func databaseDidRollback(_ database: Database) {}
}
