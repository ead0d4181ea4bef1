import Foundation
import GRDB
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct MaintenanceTests {
  private func count(_ table: String, _ store: RunStore) throws -> Int {
    try store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  @Test func `runs share rows of metrics, functions and nodes`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(launches: 2, samples: 400, fling: 500, id: "first")
    try store.save(run)
    let shared = ["metrics", "definitions", "functions", "nodes"]
    let before = try shared.map { try count($0, store) }
    try store.save(run.with(id: "second"))
    #expect(try shared.map { try count($0, store) } == before)
    let profile = try #require(run.profile)
    #expect(before[2] == profile.functions.count)
    #expect(before[3] == profile.nodes.count)
  }

  @Test func `removing a run deletes its rows and no rows of other runs`() throws {
    let store = try RunStore.inMemory()
    let kept = SampleRuns.run(launches: 2, samples: 200, fling: 500, id: "kept")
    let removed = SampleRuns.run(
      variant: "naive", launches: 2, samples: 200, fling: 500, id: "removed")
    try store.save(kept)
    let tables = try store.database.read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    }
    let before = try tables.map { try count($0, store) }
    try store.save(removed)
    try store.remove(run: "removed")
    #expect(try tables.map { try count($0, store) } == before)
    expectEqual(try store.run(id: "kept"), kept)
    #expect(throws: StoreError.unknownRun(id: "removed")) { try store.run(id: "removed") }
    #expect(throws: StoreError.unknownRun(id: "removed")) { try store.remove(run: "removed") }
    #expect(try store.check() == [])
  }

  @Test func `pruning keeps the latest runs of each variant`() throws {
    let store = try RunStore.inMemory()
    for number in 0..<6 {
      let start = SampleRuns.firstStart.milliseconds + Int64(number)
      try store.save(
        SampleRuns.run(
          variant: number % 2 == 0 ? "naive" : "optimised", launches: 1, samples: 0, fling: 0,
          started: Timestamp(milliseconds: start), id: "run\(number)"))
    }
    let moment = Timestamp(milliseconds: SampleRuns.firstStart.milliseconds + 1)
    #expect(try store.prune(keeping: 2, since: moment) == ["run0"])
    #expect(try store.prune(keeping: 1) == ["run1", "run2", "run3"])
    #expect(try store.prune(keeping: 1) == [])
    #expect(try store.headers().map(\.id) == ["run5", "run4"])
  }

  @Test func `pruning keeps unfinished runs that may still be measured`() throws {
    let store = try RunStore.inMemory()
    for (number, id) in ["dead", "begun"].enumerated() {
      let start = SampleRuns.firstStart.milliseconds + Int64(number)
      try store.begin(
        SampleRuns.run(
          launches: 1, samples: 0, fling: 0, started: Timestamp(milliseconds: start), id: id
        ).with(launches: []))
    }
    let launch = SampleRuns.run(launches: 1, samples: 0, fling: 0).launches[0]
    let dawn = Timestamp(milliseconds: SampleRuns.firstStart.milliseconds + 1)
    #expect(try store.prune(keeping: 0, unfinishedSince: dawn) == ["dead"])
    try store.append(launch, to: "begun")
    #expect(try store.prune(keeping: 0) == ["begun"])
  }

  @Test func `a backup is a store with the same runs`() throws {
    let folder = try TemporaryFolder()
    let store = try RunStore(path: folder("perfkit.sqlite"))
    let run = SampleRuns.run(launches: 2, samples: 200, fling: 500)
    try store.save(run)
    try store.backUp(to: folder("copies/backup.sqlite"))
    let copy = try RunStore(path: folder("copies/backup.sqlite"))
    expectEqual(try copy.run(id: run.id), run)
    #expect(try copy.check() == [])
    #expect(
      throws: StoreError.exists(path: folder("copies/backup.sqlite"))
    ) { try store.backUp(to: folder("copies/backup.sqlite")) }
  }

  @Test func `a failed backup of a damaged store leaves no file`() throws {
    let folder = try TemporaryFolder()
    let path = folder("perfkit.sqlite")
    var page = 0
    do {
      let store = try RunStore(path: path)
      try store.save(SampleRuns.run(launches: 2, samples: 200, fling: 500))
      try store.vacuum()
      page = try store.database.read { db in
        try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'frames'") ?? 0
      }
    }
    try #require(page > 1)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in (page - 1) * 4096..<page * 4096 { bytes[index] = 0xFF }
    try bytes.write(to: URL(fileURLWithPath: path))
    let store = try RunStore(path: path)
    let error = #expect(throws: StoreError.self) { try store.backUp(to: folder("copies/b.sqlite")) }
    guard case .damaged(path, _) = error else {
      Issue.record("not the error of the store's damage: \(String(describing: error))")
      return
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("copies")) == [])
  }

  @Test func `vacuuming shrinks the file`() throws {
    let folder = try TemporaryFolder()
    let store = try RunStore(path: folder("perfkit.sqlite"))
    func size() throws -> Int {
      try Data(contentsOf: URL(fileURLWithPath: folder("perfkit.sqlite"))).count
    }
    try store.vacuum()
    let empty = try size()
    let run = SampleRuns.run(launches: 4, samples: 8000)
    try store.save(run)
    try store.vacuum()
    // The time line alone takes at least five bytes per sample.
    #expect(try size() > empty + 40_000)
    try store.remove(run: run.id)
    try store.vacuum()
    #expect(try size() == empty)
  }

  @Test func `a check finds a row that refers to a missing row`() throws {
    let store = try RunStore.inMemory()
    try store.save(SampleRuns.run(launches: 1, samples: 50, fling: 100))
    try store.database.inDatabase { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          INSERT INTO warnings VALUES (77, 0, 'code', 'message', '');
          """)
    }
    let problems = try store.check()
    #expect(problems.count == 1)
    #expect(problems[0].hasSuffix("of table warnings refers to a missing row of table runs"))
  }

  @Test(arguments: [
    (
      "INSERT INTO comparisons VALUES (1, 'c1m7zm678x1', 's', 0, '{}', 0)",
      "the design of comparison c1m7zm678x1 cannot be read"
    ),
    ("INSERT INTO decisions VALUES (7, 'c1', 0, 'kept', '{}')", "decision 7 cannot be read"),
    (
      "INSERT INTO certificates VALUES (1, 'host=one', 0, '{')",
      "a noise certificate cannot be read"
    ),
    ("INSERT INTO campaigns VALUES (3, 's', 0, '{}')", "campaign 3 cannot be read"),
  ])
  func `a check finds invalid comparisons, decisions, certificates and campaigns`(
    sql: String, finding: String
  )
    throws
  {
    let store = try RunStore.inMemory()
    try store.database.write { try $0.execute(sql: sql) }
    #expect(try store.check() == [finding])
  }

  /// Returns a store with one run whose file breaks the rules of its schema, as damaged files do.
  private func damagedStore(_ sql: String) throws -> RunStore {
    let store = try RunStore.inMemory()
    try store.save(SampleRuns.run(launches: 2, samples: 0, fling: 0, id: "one1"))
    try store.database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; " + sql)
    }
    return store
  }

  @Test(arguments: [
    """
    DROP TABLE environments; CREATE TABLE environments (run, fact, value);
    INSERT INTO environments SELECT key, NULL, 'x' FROM runs
    """,
    """
    DROP TABLE warnings; CREATE TABLE warnings (run, position, code, message, remedy);
    INSERT INTO warnings SELECT key, 0, 'code', NULL, '' FROM runs
    """,
  ])
  func `a value of another type is reported as damage`(sql: String) throws {
    let store = try damagedStore(sql)
    let error = try #require(throws: StoreError.self) { try store.run(id: "one1") }
    #expect("\(error)".contains("could not decode"), "\(error)")
    #expect(try store.check().contains { $0.contains("could not decode") })
  }

  @Test func `a run is read although a damaged store has its metrics twice`() throws {
    let store = try damagedStore(
      """
      CREATE TABLE copy AS SELECT * FROM metrics UNION ALL SELECT * FROM metrics;
      DROP TABLE metrics; ALTER TABLE copy RENAME TO metrics
      """)
    let sound = try damagedStore("")
    #expect(
      try store.run(id: "one1").launches.map(\.metrics)
        == sound.run(id: "one1").launches.map(\.metrics))
  }
}

struct SchemaTests {
  @Test func `SCHEMA.md describes every table and view`() throws {
    let text = try String(
      contentsOfFile: #filePath.replacing(
        "Tests/PerfStoreTests/MaintenanceTests.swift", with: "Sources/Toolkit/PerfStore/SCHEMA.md"),
      encoding: .utf8)
    let names = try RunStore.inMemory().database.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master WHERE type IN ('table', 'view')
          AND name NOT LIKE 'sqlite%'
          """)
    }
    #expect(names.count > 20)
    for name in names { #expect(text.contains("`\(name)`"), "\(name)") }
  }

  @Test func `the view of measurements returns metric values`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(launches: 3, samples: 0, fling: 500)
    try store.save(run)
    let values = try store.database.read { db in
      try Double.fetchAll(
        db,
        sql: """
          SELECT value FROM measurements
          WHERE scenario = 'scroll-1000' AND variant = 'optimised' AND metric = 'rss.peak'
          AND NOT is_warmup ORDER BY iteration
          """)
    }
    #expect(values == run.values(of: "rss.peak"))
  }

  @Test func `the view of stacks returns samples by function`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(variant: "naive", launches: 2, samples: 900, fling: 1000)
    try store.save(run)
    let rows = try store.database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT function, sum(samples) FROM stacks
          WHERE run = ? AND frame_class = 'missed' AND state = 'running' AND phase = 'decode'
          GROUP BY function ORDER BY function
          """, arguments: [run.id])
    }
    let profile = try #require(run.profile)
    var expected: [String: Int] = [:]
    for count in profile.counts
    where count.frameClass == .missed && count.state == .running
      && profile.phases[count.phase] == "decode"
    {
      expected[profile.functions[profile.nodes[count.node].function].name, default: 0] +=
        count.samples
    }
    #expect(expected.count > 2)
    #expect(rows.map { $0[0] as String } == expected.keys.sorted())
    #expect(rows.map { $0[1] as Int } == expected.sorted { $0.key < $1.key }.map(\.value))
  }

  @Test func `the view of stacks separates time from memory`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.addingMemory(
      to: SampleRuns.run(variant: "naive", launches: 1, samples: 300, fling: 500))
    try store.save(run)
    let rows = try store.database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT state, sum(weight_ns), sum(weight_bytes), sum(weight_count) FROM stacks
          GROUP BY state ORDER BY state
          """)
    }
    let counts = try #require(run.profile).counts
    func sum(_ state: Profile.State) -> Double {
      counts.reduce(0) { $0 + ($1.state == state ? $1.weight : 0) }
    }
    let bytes = Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[2] as Double?) })
    #expect(bytes["allocated"] == sum(.allocated))
    #expect(bytes["live_peak"] == sum(.livePeak))
    #expect(bytes["live_end"] == sum(.liveEnd))
    #expect(bytes["running"] == .some(nil) && bytes["allocations"] == .some(nil))
    let numbers = Dictionary(
      uniqueKeysWithValues: rows.map { ($0[0] as String, $0[3] as Double?) })
    #expect(numbers["allocations"] == sum(.allocations))
    #expect(numbers["allocated"] == .some(nil))
    let time = Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as Double?) })
    #expect(abs(((time["running"] ?? nil) ?? 0) - sum(.running)) < 1)
    #expect(time["allocated"] == .some(nil) && time["allocations"] == .some(nil))
    // Live memory is part of the allocated memory, and memory is no sample of a thread.
    let header = try #require(try store.headers().first)
    #expect(header.samples == 300)
  }

  @Test func `the documented query returns the callers of a node`() throws {
    let store = try RunStore.inMemory()
    try store.save(SampleRuns.run(variant: "naive", launches: 1, samples: 300, fling: 500))
    let names = try store.database.read { db in
      try String.fetchAll(
        db,
        sql: """
          WITH RECURSIVE callers (key, parent, function) AS (
            SELECT nodes.key, parent, function FROM nodes
            JOIN functions ON functions.key = function AND name = 'decode_mcu'
            UNION ALL SELECT nodes.key, nodes.parent, nodes.function
            FROM nodes JOIN callers ON nodes.key = callers.parent)
          SELECT name FROM callers JOIN functions ON functions.key = function
          """)
    }
    #expect(
      names == [
        "decode_mcu", "tjDecompress2", "JPEGDecoder.decode(_:)", "ScrollWorkload.frame(at:)",
        "FrameClock.run(_:)", "ScrollWorkload.measure()", "WorkloadSuite.run()", "main",
        "__libc_start_main", "_start",
      ])
  }
}
