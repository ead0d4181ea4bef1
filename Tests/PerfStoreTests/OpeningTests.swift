import Foundation
import GRDB
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private let run = SampleRuns.run(launches: 2, samples: 100, fling: 500)

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  @Test func `opening a store creates its folders and its file`() throws {
    let path = folder("a/b/perfkit.sqlite")
    let store = try RunStore(path: path)
    try store.save(run)
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(
      try store.database.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    #expect(try store.database.read { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 1)
    expectEqual(try RunStore(path: path, access: .reading).run(id: run.id), run)
  }

  @Test func `readers and writers of a copied store do not block each other`() throws {
    let path = folder("copy.sqlite")
    do {
      let store = try RunStore(path: folder("perfkit.sqlite"))
      try store.save(run)
      try store.backUp(to: path)
    }
    let copied = try bytes(path)
    #expect(try RunStore(path: path, access: .reading).headers().count == 1)
    #expect(try bytes(path) == copied, "reading changes nothing")
    let writer = try RunStore(path: path, timeout: .milliseconds(20))
    let reader = try RunStore(path: path, access: .reading)
    try reader.read { (db: Database) throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM runs") == 1)
      try writer.save(run.with(id: "other"))
    }
    #expect(try reader.headers().count == 2)
  }

  @Test func `names with a special meaning in SQLite are plain file names`() throws {
    for name in [":memory:", "file:x?mode=memory", "50% #1?.sqlite"] {
      try RunStore(path: folder(name)).save(run)
      #expect(FileManager.default.fileExists(atPath: folder(name)))
      let file = StoreFile(path: folder(name))
      let store = try RunStore(file, access: .reading, isWritable: false, timeout: .zero)
      expectEqual(try store.run(id: run.id), run)
    }
    #expect(
      StoreFile(path: ":memory:").path == FileManager.default.currentDirectoryPath + "/:memory:")
  }

  @Test func `opening a missing store for reading explains how to make a run`() throws {
    for path in [folder("none.sqlite"), folder("no/folder/none.sqlite")] {
      let error = #expect(throws: StoreError.missing(path: path)) {
        try RunStore(path: path, access: .reading)
      }
      #expect(
        "\(try #require(error))"
          == "there are no runs yet: run store '\(path)' does not exist. "
          + "Measure with 'perfkit run SCENARIO', or pass another --store.")
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `an empty file is a new store for writing and missing for reading`() throws {
    let path = folder("empty.sqlite")
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.missing(path: path)) { try RunStore(path: path, access: .reading) }
    try RunStore(path: path).save(run)
    #expect(try RunStore(path: path, access: .reading).headers().count == 1)
  }

  @Test(arguments: [RunStore.Access.reading, .writing])
  func `a file that is not a database is refused and not changed`(access: RunStore.Access) throws {
    let path = folder("text.sqlite")
    let text = Data(String(repeating: "This is a shopping list.\n", count: 100).utf8)
    try text.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.notADatabase(path: path)) {
      try RunStore(path: path, access: access)
    }
    #expect(
      "\(try #require(error))"
        == "cannot open run store '\(path)': file is not a database. Pass another --store.")
    #expect(try bytes(path) == text)
  }

  @Test(arguments: [RunStore.Access.reading, .writing])
  func `another program's database is refused and not changed`(access: RunStore.Access) throws {
    let path = folder("other.sqlite")
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE books (title TEXT)") }
    let before = try bytes(path)
    #expect(throws: StoreError.notAStore(path: path)) { try RunStore(path: path, access: access) }
    #expect(try bytes(path) == before)
  }

  @Test(arguments: [RunStore.Access.reading, .writing])
  func `a store of an unknown version is refused and not changed`(access: RunStore.Access) throws {
    let path = folder("unknown.sqlite")
    do {
      let store = try RunStore(path: path)
      try store.database.write { db in
        try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('v98'), ('v100')")
      }
    }
    let before = try bytes(path)
    let error = #expect(
      throws: StoreError.unknownSchema(path: path, found: "v100", known: Schema.current)
    ) {
      try RunStore(path: path, access: access)
    }
    #expect(
      "\(try #require(error))"
        == "cannot open run store '\(path)': its schema is v100, and this perfkit knows only "
        + "\(Schema.current). Nothing was changed. Use the perfkit that wrote it, or pass another --store."
    )
    #expect(try bytes(path) == before)
  }

  @Test func `a store opened for reading cannot be written`() throws {
    let path = folder("read.sqlite")
    try RunStore(path: path).save(run)
    let store = try RunStore(path: path, access: .reading)
    let error = #expect(throws: StoreError.self) { try store.save(run.with(id: "other")) }
    guard case .notWritable = error else {
      Issue.record("not the error of a read-only store: \(String(describing: error))")
      return
    }
    #expect(try store.headers().map(\.id) == [run.id])
  }

  @Test func `a store path below a file is refused`() throws {
    let file = folder("file")
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    let path = file + "/perfkit.sqlite"
    let error = #expect(throws: StoreError.self) { try RunStore(path: path) }
    #expect(
      "\(try #require(error))"
        == "cannot use run store '\(path)': '\(file)' is a file, not a folder. "
        + "Name a file.")
  }

  @Test func `a folder is refused as a store`() throws {
    #expect(throws: StoreError.misplaced(path: folder.path, cause: "it is a folder")) {
      try RunStore(path: folder.path)
    }
    #expect(throws: StoreError.misplaced(path: folder.path, cause: "it is a folder")) {
      try RunStore(path: folder.path, access: .reading)
    }
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may write everything"))
  func `a read-only store is readable, and writing names the cause`() throws {
    let path = folder("sub/perfkit.sqlite")
    try RunStore(path: path).save(run)
    func permit(_ mode: Int, _ path: String) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    try permit(0o444, path)
    #expect(throws: StoreError.notWritable(path: path, cause: "the file is read-only")) {
      try RunStore(path: path)
    }
    try permit(0o555, folder("sub"))
    defer { try? permit(0o755, folder("sub")) }
    #expect(throws: StoreError.notWritable(path: path, cause: "its folder is read-only")) {
      try RunStore(path: path)
    }
    expectEqual(try RunStore(path: path, access: .reading).run(id: run.id), run)
    try permit(0o000, path)
    #expect(throws: StoreError.notReadable(path: path, cause: "permission denied")) {
      try RunStore(path: path, access: .reading)
    }
  }
}
