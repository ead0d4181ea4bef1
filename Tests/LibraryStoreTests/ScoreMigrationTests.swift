import Foundation
import GRDB
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `Score migration` {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("library.sqlite")
  }

  func old(_ books: [NewBook] = sampleBooks(50)) throws -> LibraryStore {
    let library = try LibraryStore(path: path, configuration: .naive)
    try library.insert(books)
    return library
  }

  /// Opens the library with stored scores and compares each one with the formula.
  func checkScores() throws {
    let library = try LibraryStore(path: path)
    let wrong = try library.read { database in
      try Row.fetchAll(database, sql: "SELECT \(Edition.columns), qualityScore FROM edition")
        .filter { Edition($0).details.qualityScore != $0[7] as Int }
    }
    #expect(wrong.isEmpty)
    #expect(try !library.read { try ScoreMigration.hasBegun(in: $0) })
    try library.close()
  }

  @Test func `the migration stores the score of every edition`() throws {
    try old().close()
    try checkScores()
  }

  // Fifty books with 1, 2, 3, 1, ... editions: 16 x 6 + 1 + 2 = 99.
  @Test func `a stopped migration continues where it stopped`() throws {
    let library = try old()
    var calls: [[Int]] = []
    let left = try library.prepareScores(batch: 10) { done, left in
      calls.append([done, left])
      return done < 30
    }
    // The first transaction only lists the editions.
    #expect(calls == [[0, 99], [10, 89], [20, 79], [30, 69]])
    #expect(left == 69)
    try library.close()
    let again = try LibraryStore(path: path, configuration: .naive)
    calls = []
    let rest = try again.prepareScores(batch: 1_000) { done, left in
      calls.append([done, left])
      return true
    }
    #expect(rest == 0)
    #expect(calls == [[0, 69], [69, 0]])
    try again.close()
    try checkScores()
  }

  @Test func `the library can be read and changed during the migration`() throws {
    let library = try old()
    let page = try library.page(offset: 0, limit: 50)
    try library.prepareScores(batch: 20) { done, _ in done < 40 }
    #expect(try library.page(offset: 0, limit: 50) == page)
    // Adds a book, and changes an edition with a score and one without.
    try library.insert(sampleBooks(51).suffix(1))
    for work: Int64 in [1, 49] {
      var edition = try #require(try library.editions(ofWork: work).first)
      edition.details.publicationDate = "2077"
      #expect(try library.update([edition]) == 1)
    }
    // Edition 99 belongs to book 50, the last of the old ones.
    try library.write { try $0.execute(sql: "DELETE FROM edition WHERE id = 99") }
    #expect(try library.prepareScores() == 0)
    try library.close()
    try checkScores()
  }

  @Test func `opening with a newer schema completes the migration`() throws {
    let library = try old()
    try library.prepareScores(batch: 7) { done, _ in done == 0 }
    try library.close()
    try checkScores()
  }

  @Test func `preparing scores with a newer schema throws`() throws {
    let library = try LibraryStore(path: path)
    #expect(
      throws: LibraryError.otherSchema(path: path, found: "indexed", wanted: "original")
    ) { try library.prepareScores() }
  }

  @Test func `an empty library has no scores to prepare`() throws {
    let library = try old([])
    #expect(try library.prepareScores { _, _ in false } == 0)
  }

  @Test func `a killed migration loses at most its current batch`() async throws {
    try old(sampleBooks(200)).close()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let library = try LibraryStore(path: path, configuration: .naive)
      try library.prepareScores(batch: 50) { done, _ in
        if done == 150 { raise(SIGKILL) }
        return true
      }
    }
    let library = try LibraryStore(path: path, configuration: .naive)
    var first: Int?
    // 200 books have 66 x 6 + 1 + 2 = 399 editions.
    try library.prepareScores(batch: 50) { _, left in
      first = first ?? left
      return true
    }
    #expect(first == 249)
    try library.close()
    try checkScores()
  }

  @Test(arguments: ladder)
  func `changing an edition updates its score`(configuration: LibraryConfiguration) throws {
    let library = try LibraryStore(path: path, configuration: configuration)
    try library.insert(sampleBooks(3))
    let editions = try library.editions(ofWork: 3)
    for edition in editions {
      var changed = edition
      changed.details.cover = "new.jpg"
      changed.details.publicationDate = "2090"
      changed.details.format = .hardcover
      changed.details.dataQuality = 99
      #expect(try library.update([changed]) == 1)
      #expect(try library.bestEdition(ofWork: 3) == changed)
      #expect(try library.update([edition]) == 1)
      let best = editions.max { $0.details.qualityScore < $1.details.qualityScore }
      #expect(try library.bestEdition(ofWork: 3) == best)
    }
    try library.write { try $0.execute(sql: "DELETE FROM edition WHERE workID = 3") }
    #expect(try library.update(editions) == 0)
  }
}
