import GRDB
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `User entry` {
  typealias Lookup = LibraryConfiguration.UserEntryLookup

  let folder: TemporaryFolder
  let notes = UserEntryDetails(status: .reading, rating: 2, shelves: ["new"], addedSeconds: 9)

  init() throws { folder = try TemporaryFolder() }

  func library(_ lookup: Lookup, log: SlowOperationLog? = nil) throws -> LibraryStore {
    let library = try LibraryStore(
      path: folder("library.sqlite"),
      configuration: LibraryConfiguration(userEntry: lookup), slowOperations: log)
    try library.insert(sampleBooks(20))
    return library
  }

  @Test(arguments: Lookup.allCases)
  func `every strategy finds the user entry of a work`(lookup: Lookup) throws {
    let library = try library(lookup)
    let books = sampleBooks(20)
    // Twice: from the database, then from the cache if there is one.
    for _ in 0..<2 {
      for (index, book) in books.enumerated() {
        #expect(try library.userEntry(ofWork: Int64(index + 1))?.details == book.userEntry)
      }
    }
    #expect(try library.userEntry(ofWork: 21) == nil)
  }

  @Test(arguments: Lookup.allCases.filter { $0 != .cachedManually })
  func `user entries reflect every change by the same object`(lookup: Lookup) throws {
    let library = try library(lookup)
    // Work 1 has no entry, work 2 has one.
    for work: Int64 in [1, 2] {
      _ = try library.userEntry(ofWork: work)
      #expect(try library.setUserEntry(notes, ofWork: work))
      #expect(try library.userEntry(ofWork: work)?.details == notes)
      #expect(try library.setUserEntry(nil, ofWork: work))
      #expect(try library.userEntry(ofWork: work) == nil)
    }
    var book = sampleBooks(3)[2]
    _ = try library.userEntry(ofWork: 3)
    book.userEntry = notes
    try library.upsert([book])
    #expect(try library.userEntry(ofWork: 3)?.details == notes)
  }

  @Test func `setting the entry of a missing work returns false`() throws {
    let library = try library(.indexed)
    #expect(try !library.setUserEntry(notes, ofWork: 99))
    #expect(try library.userEntry(ofWork: 99) == nil)
  }

  @Test func `a missing invalidation leaves a stale answer, which is detected`() throws {
    let library = try library(.cachedManually)
    let before = try #require(try library.userEntry(ofWork: 2))
    for work in 1...5 { _ = try library.userEntry(ofWork: Int64(work)) }
    try library.setUserEntry(notes, ofWork: 2)
    try library.setUserEntry(notes, ofWork: 3)
    library.invalidateUserEntry(ofWork: 3)
    #expect(try library.userEntry(ofWork: 2) == before)
    #expect(try library.userEntry(ofWork: 3)?.details == notes)
    let stale = try library.staleUserEntries()
    #expect(stale.map(\.workID) == [2])
    #expect(stale.first?.cached == before)
    #expect(stale.first?.stored?.details == notes)
    library.invalidateUserEntry(ofWork: 2)
    #expect(try library.staleUserEntries().isEmpty)
    #expect(try library.userEntry(ofWork: 2)?.details == notes)
  }

  @Test func `a change during the transaction of a page does not leave a stale answer`() throws {
    let library = try library(.cached)
    let generation = library.entryCache.generation
    try library.read { database in
      // The transaction sees the library as it is now.
      #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM work") == 20)
      try library.setUserEntry(notes, ofWork: 1)
      let page = try library.page(.offset(0), limit: 20, since: generation, in: database)
      #expect(page.first { $0.workID == 1 }?.rating == 0)
    }
    #expect(try library.userEntry(ofWork: 1)?.details == notes)
    #expect(try library.staleUserEntries().isEmpty)
  }

  @Test func `a change by another object is detected as stale`() throws {
    let library = try library(.cached)
    #expect(try library.userEntry(ofWork: 1) == nil)
    let other = try LibraryStore(path: library.path)
    try other.setUserEntry(notes, ofWork: 1)
    #expect(try library.userEntry(ofWork: 1) == nil)
    let stale = try library.staleUserEntries()
    #expect(stale.map(\.workID) == [1])
    #expect(stale.first?.cached == nil)
    #expect(stale.first?.stored?.details == notes)
  }

  /// A relationship may have several entries of a work unless a constraint forbids it.
  @Test(arguments: [Lookup.fetchAll, .scan, .cached])
  func `the first of several entries is returned`(lookup: Lookup) throws {
    let library = try LibraryStore(
      path: folder("several.sqlite"),
      configuration: LibraryConfiguration(
        schema: .original, userEntry: lookup, bestEdition: .recomputed))
    try library.insert([NewBook(title: "T", author: "A", editions: [], userEntry: notes)])
    try library.addUserEntries(
      (1...100).map { UserEntryDetails(status: .read, rating: $0 % 5) }, ofWork: 1)
    #expect(try library.userEntry(ofWork: 1)?.details == notes)
  }
}
