import Foundation
import GRDB
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

/// Imports of damaged, unknown and malicious files.
struct HostileImportTests {
  private let folder: TemporaryFolder
  private let file: String
  private let target: RunStore

  init() throws {
    folder = try TemporaryFolder()
    file = folder("export.sqlite")
    target = try RunStore(path: folder("to.sqlite"))
    let store = try RunStore(path: folder("from.sqlite"))
    for id in ["one1", "two2"] {
      try store.save(SampleRuns.run(launches: 2, samples: 60, fling: 100, id: id))
    }
    try store.save(
      StoredComparison(
        id: "c1m7zm678x1", subject: "s", started: SampleRuns.firstStart,
        design: ComparisonDesign(
          seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(),
          launchesPerPair: 4)))
    try store.append(.init(base: "one1", candidate: "two2"), toComparison: "c1m7zm678x1")
    _ = try store.export(to: file)
  }

  /// Changes the file directly with SQL.
  private func change(_ sql: String) throws {
    try DatabaseQueue(path: file).writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
      try db.execute(sql: sql)
    }
  }

  /// Returns the reason why the file is refused, and checks that the store is unchanged.
  private func refusal() throws -> String {
    let error = #expect(throws: StoreError.self) {
      try target.importContent(of: ImportSource(path: file))
    }
    #expect(try target.headers().isEmpty)
    #expect(try target.comparisons().isEmpty)
    guard case .notImportable(_, let cause) = error else { return "\(String(describing: error))" }
    return cause
  }

  @Test func `importing a missing file, an empty file or no store is refused`() throws {
    try FileManager.default.removeItem(atPath: file)
    #expect(try refusal().contains("does not exist"))
    try Data().write(to: URL(fileURLWithPath: file))
    #expect(try refusal().contains("does not exist or is empty"))
    try Data("no".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try refusal() == "it is not a database")
    try FileManager.default.removeItem(atPath: file)
    try change("CREATE TABLE notes (text)")
    #expect(try refusal() == "it is the database of another program")
  }

  @Test func `importing a store of an unknown version names both versions`() throws {
    try change("INSERT INTO grdb_migrations VALUES ('v999')")
    #expect(
      try refusal().contains("its schema is v999, and this perfkit knows only \(Schema.current)"))
  }

  @Test func `importing a truncated store is refused`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    for part in [0.3, 0.6, 0.9] {
      try whole.prefix(Int(Double(whole.count) * part)).write(to: URL(fileURLWithPath: file))
      #expect(try !refusal().isEmpty)
    }
  }

  @Test(arguments: [
    ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN SELECT 1; END", "its tables differ"),
    ("DROP VIEW measurements", "its tables differ"),
    ("CREATE VIEW v AS SELECT load_extension('x')", "its tables differ"),
    ("ALTER TABLE runs ADD COLUMN more TEXT", "its tables differ"),
    ("UPDATE runs SET id = '../x' WHERE id = 'one1'", "the invalid id '../x'"),
    ("UPDATE runs SET scenario = '../../x'", "an invalid scenario"),
    ("UPDATE runs SET started_ms = 9223372036854775807", "invalid start time"),
    ("UPDATE runs SET state = 'unheard' WHERE id = 'one1'", "damaged"),
    ("UPDATE runs SET command = 'no JSON'", "the command is not the expected JSON"),
    ("UPDATE iterations SET signal = 1099511627776", "a signal is 1099511627776"),
    ("UPDATE frames SET data = x'00ff'", "frames cannot be read"),
    ("UPDATE profile_counts SET node = 100000", "invalid index"),
    ("UPDATE profile_counts SET state = 77", "invalid index"),
    ("UPDATE profile_counts SET samples = 9223372036854775807", "has 9223372036854775807 samples"),
    ("DELETE FROM functions", "refers to a missing row"),
    ("UPDATE comparisons SET id = 'latest:x'", "is invalid"),
    (
      "UPDATE comparisons SET design = replace(design, '\"launchesPerPair\":4', "
        + "'\"launchesPerPair\":0')", "is invalid"
    ),
    ("UPDATE comparisons SET design = '{}'", "the design of comparison"),
    (
      "INSERT INTO decisions VALUES (1, 'c1m7zm678x1', 0, 'kept', '{\"number\": 1}')",
      "decision 1 cannot be read"
    ),
  ])
  func `importing a store with manipulated rows changes nothing`(sql: String, cause: String) throws
  {
    try change(sql)
    let refusal = try refusal()
    #expect(refusal.contains(cause), "\(refusal)")
  }
}
