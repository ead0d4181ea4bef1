import GRDB
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `Journal` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // SQLite's numbers: off 0, normal 1, full 2, extra 3.
  @Test(
    arguments: LibraryConfiguration.Journal.allCases,
    [(LibraryConfiguration.Synchronous.off, 0), (.normal, 1), (.full, 2), (.extra, 3)])
  func `the journal and synchronous modes are the configured ones, whatever the file had`(
    journal: LibraryConfiguration.Journal,
    synchronous: (value: LibraryConfiguration.Synchronous, number: Int)
  ) throws {
    let path = folder("library.sqlite")
    for other in LibraryConfiguration.Journal.allCases {
      let before = try LibraryStore(path: path, configuration: LibraryConfiguration(journal: other))
      try before.close()
      let library = try LibraryStore(
        path: path,
        configuration: LibraryConfiguration(journal: journal, synchronous: synchronous.value))
      try library.writer.writeWithoutTransaction { database in
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
        let waits = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        #expect(mode == journal.pragma)
        #expect(waits == synchronous.number)
      }
      try library.close()
    }
  }

  @Test(arguments: LibraryConfiguration.Journal.allCases)
  func `every journal keeps committed books`(journal: LibraryConfiguration.Journal) throws {
    let path = folder("library.sqlite")
    let library = try LibraryStore(
      path: path, configuration: LibraryConfiguration(journal: journal))
    try library.insert(sampleBooks(20), batch: .books(3))
    try library.close()
    #expect(try LibraryStore(path: path, access: .readOnly).count() == 20)
  }

  @Test func `the journal cannot change while another connection uses the log`() throws {
    let path = folder("library.sqlite")
    let library = try LibraryStore(path: path)
    #expect(throws: LibraryError.locked(path: path)) {
      try LibraryStore(
        path: path,
        configuration: LibraryConfiguration(journal: .rollback, busyTimeoutSeconds: 0))
    }
    #expect(try library.insert(sampleBooks(2)) == 2)
  }

  /// The time of a page of books must not depend on the library's size.
  @Test func `pages and best editions are read from indexes alone`() throws {
    let library = try LibraryStore(path: folder("plan.sqlite"))
    func plan(_ sql: String, _ arguments: StatementArguments) throws -> [String] {
      try library.read {
        try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
          .map { $0["detail"] }
      }
    }
    let row = BookRow(
      workID: 1, title: "", author: "", confidence: 1, cover: nil, status: nil, rating: 0)
    for start in [PageStart.offset(100), .after(row)] {
      let page = try plan(
        "SELECT work.id FROM work \(start.clauses)", start.arguments(limit: 50))
      #expect(page.count == 1)
      #expect(page.first?.contains("USING COVERING INDEX workByTitle") == true, "\(page)")
    }
    let cover = try plan(
      "SELECT cover FROM edition WHERE workID = ? ORDER BY qualityScore DESC, id LIMIT 1", [1])
    #expect(cover == ["SEARCH edition USING COVERING INDEX editionByScore (workID=?)"])
    let entry = try plan("SELECT \(UserEntry.columns) FROM userEntry WHERE workID = ?", [1])
    #expect(entry == ["SEARCH userEntry USING INDEX userEntryByWork (workID=?)"])
  }
}
