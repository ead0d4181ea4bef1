import Foundation
import GRDB
import PerfTestSupport
import Testing

@testable import LibraryStore

struct `Opening a library` {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("library.sqlite")
  }

  @Test(arguments: [LibraryStore.Access.existing, .readOnly])
  func `opening a missing library throws unless it may be created`(access: LibraryStore.Access) {
    #expect(throws: LibraryError.missing(path: path)) {
      try LibraryStore(path: path, access: access)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `opening a folder throws`() {
    #expect(throws: LibraryError.unreadable(path: folder.path, reason: "it is a folder")) {
      try LibraryStore(path: folder.path)
    }
  }

  @Test func `opening a file that is no database throws and keeps it`() throws {
    let text = String(repeating: "This is not a database. ", count: 100)
    let path = try folder.write(text, to: "text.sqlite")
    #expect(throws: LibraryError.notADatabase(path: path)) { try LibraryStore(path: path) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func `opening another program's database throws and keeps it`() throws {
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.execute(sql: "CREATE TABLE song (id INTEGER PRIMARY KEY)") }
    try other.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(throws: LibraryError.notALibrary(path: path)) { try LibraryStore(path: path) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `opening a newer schema throws`() throws {
    try LibraryStore(path: path).close()
    let newer = try DatabaseQueue(path: path)
    try newer.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('4 series')")
    }
    try newer.close()
    #expect(throws: LibraryError.newerSchema(path: path)) { try LibraryStore(path: path) }
  }

  @Test func `migrating an older library keeps every book`() throws {
    let books = sampleBooks(20)
    let old = try LibraryStore(path: path, configuration: .naive)
    try old.insert(books)
    let before = try old.page(offset: 0, limit: 20)
    try old.close()
    let new = try LibraryStore(path: path, access: .existing)
    #expect(try new.page(offset: 0, limit: 20) == before)
    let stored = LibraryConfiguration(schema: .indexed, bestEdition: .storedScore)
    try new.close()
    #expect(
      try LibraryStore(path: path, configuration: stored).page(offset: 0, limit: 20) == before)
  }

  /// The older schemas allowed an ISBN twice.
  @Test func `a migration keeps all editions and the first one's ISBN`() throws {
    let old = try LibraryStore(path: path, configuration: .naive)
    let book = sampleBooks(1)[0]
    try old.insert([book, book])
    try old.close()
    let new = try LibraryStore(path: path)
    let works = try new.page(offset: 0, limit: 10)
    let numbers = try works.map { try new.editions(ofWork: $0.workID).map(\.details.isbn) }
    #expect(numbers == [[book.editions[0].isbn], [nil]])
  }

  @Test func `opening with an older schema throws`() throws {
    try LibraryStore(path: path).close()
    #expect(
      throws: LibraryError.otherSchema(path: path, found: "indexed", wanted: "original")
    ) { try LibraryStore(path: path, configuration: .naive) }
  }

  @Test func `a read-only library can be read and not changed`() throws {
    let library = try LibraryStore(path: path)
    try library.insert(sampleBooks(3))
    try library.close()
    let reader = try LibraryStore(path: path, access: .readOnly)
    #expect(try reader.count() == 3)
    #expect(throws: LibraryError.readOnly(path: path)) { try reader.insert(sampleBooks(1)) }
    try reader.close()
  }

  @Test func `a read-only library is not migrated`() throws {
    try LibraryStore(path: path, configuration: .naive).close()
    #expect(
      throws: LibraryError.otherSchema(path: path, found: "original", wanted: "indexed")
    ) { try LibraryStore(path: path, access: .readOnly) }
  }

  @Test func `another connection's lock throws locked`() throws {
    let library = try LibraryStore(
      path: path, configuration: LibraryConfiguration(busyTimeoutSeconds: 0))
    let other = try DatabaseQueue(path: path)
    try other.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN IMMEDIATE")
      #expect(throws: LibraryError.locked(path: path)) { try library.insert(sampleBooks(1)) }
      try database.execute(sql: "ROLLBACK")
    }
    #expect(try library.insert(sampleBooks(1)) == 1)
  }

  @Test func `a full disk throws diskFull and changes nothing`() throws {
    let library = try LibraryStore(path: path)
    try library.insert(sampleBooks(3))
    // SQLite reports the page limit of a connection like a full disk.
    try library.writer.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA max_page_count = 1")
    }
    #expect(throws: LibraryError.diskFull(path: path)) {
      try library.insert(sampleBooks(2_000).dropFirst(3), batch: .all)
    }
    #expect(try library.count() == 3)
  }

  @Test func `verify detects damaged pages`() throws {
    let library = try LibraryStore(path: path)
    try library.insert(sampleBooks(500))
    try library.verify()
    try library.close()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    // The pages after the first two contain tables and indexes.
    try file.seek(toOffset: 8_192)
    try file.write(contentsOf: Data(repeating: 0x5A, count: 16_384))
    try file.close()
    #expect(throws: LibraryError.notADatabase(path: path)) {
      try LibraryStore(path: path).verify()
    }
  }

  @Test(arguments: [false, true])
  func `queries after closing throw`(hasAnswered: Bool) throws {
    let library = try LibraryStore(path: path)
    if hasAnswered { _ = try library.userEntry(ofWork: 1) }
    try library.close()
    #expect(throws: LibraryError.self) { try library.userEntry(ofWork: 1) }
    #expect(throws: LibraryError.self) { try library.count() }
  }

  @Test func `a closed library is complete in one file`() throws {
    let library = try LibraryStore(path: path)
    try library.insert(sampleBooks(10))
    try library.close()
    let copy = folder("copy.sqlite")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    #expect(try LibraryStore(path: copy, access: .existing).count() == 10)
  }
}
