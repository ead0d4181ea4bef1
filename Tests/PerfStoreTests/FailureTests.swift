import Foundation
import GRDB
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct FailureTests {
  private let folder: TemporaryFolder
  private let path: String
  private let small = SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "small")

  init() throws {
    folder = try TemporaryFolder()
    path = folder("perfkit.sqlite")
  }

  @Test func `writing to a store that another process writes to fails after the timeout`() throws {
    let first = try RunStore(path: path)
    let second = try RunStore(path: path, timeout: .milliseconds(20))
    try first.write { (_: Database) throws in
      let error = #expect(throws: StoreError.locked(path: path, waited: .milliseconds(20))) {
        try second.save(small)
      }
      #expect(
        "\(try #require(error))"
          == "run store '\(path)' is locked by another process (waited 0.02 s). "
          + "Nothing was changed. Wait until the other process ends, then repeat the command.")
      #expect(try second.headers().isEmpty, "readers do not wait for a writer")
    }
    try second.save(small)
    #expect(try first.headers().map(\.id) == ["small"])
  }

  @Test func `two concurrent writers lose no run`() async throws {
    let path = self.path
    try await withThrowingTaskGroup { group in
      for writer in 0..<2 {
        // Both writers find no file, so they also race for creating the tables.
        group.addTask { try await Self.saveMany("writer\(writer)run", at: path) }
      }
      try await group.waitForAll()
    }
    let store = try RunStore(path: path, access: .reading)
    #expect(try store.headers().count == 40)
    #expect(try store.check() == [])
  }

  @Test func `two concurrent processes lose no run`() async throws {
    async let own: Void = Self.saveMany("own", at: path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await FailureTests.saveMany("other", at: path)
    }
    try await own
    let store = try RunStore(path: path, access: .reading)
    #expect(try store.headers().count == 40)
    #expect(try store.check() == [])
  }

  private static func saveMany(_ name: String, at path: String) async throws {
    let store = try RunStore(path: path, timeout: .seconds(60))
    for number in 0..<20 {
      try store.save(
        SampleRuns.run(launches: 1, samples: 50, fling: 100, id: "\(name)\(number)"))
    }
  }

  @Test func `a full disk reverts the save and keeps earlier runs`() throws {
    let store = try RunStore(path: path)
    try store.save(small)
    // SQLite reports its own page limit exactly as it reports a full disk.
    try store.database.inDatabase { db in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages + 4)")
    }
    let large = SampleRuns.run(launches: 5, samples: 20_000, id: "large")
    let error = try #require(#expect(throws: StoreError.self) { try store.save(large) })
    guard case .diskFull(_, let needed?, let free?) = error else {
      Issue.record("not the error of a full disk: \(error)")
      return
    }
    #expect(free > 0)
    // The 20,000 samples of the time line take at least 5 bytes each.
    #expect(needed > 100_000)
    #expect("\(error)".contains("the disk is full (about "))
    #expect("\(error)".contains("Earlier data is kept."))
    #expect(try store.headers().map(\.id) == ["small"])
    #expect(try store.check() == [])
  }

  @Test func `the estimated size of a run is within a factor of two`() throws {
    let run = SampleRuns.run(launches: 5, samples: 20_000)
    let store = try RunStore(path: path)
    try store.vacuum()
    func size() throws -> Int {
      try store.database.read { db in
        try (Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0)
          * (Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
      }
    }
    let before = try size()
    try store.save(run)
    let taken = try size() - before
    let estimate = SizeEstimate.bytes(of: run)
    #expect(estimate > taken / 2 && estimate < taken * 2, "\(estimate) for \(taken)")
  }

  @Test func `saving a run twice throws an error`() throws {
    let store = try RunStore.inMemory()
    try store.save(small)
    #expect(throws: StoreError.runExists(id: "small")) { try store.save(small) }
    #expect(throws: StoreError.runExists(id: "small")) { try store.begin(small) }
  }

  @Test func `a run with an invalid index in its profile is not saved`() throws {
    let run = SampleRuns.run(launches: 1, samples: 50, fling: 100)
    let profile = try #require(run.profile)
    func variant(
      nodes: [Profile.Node]? = nil, counts: [Profile.Count]? = nil,
      timeline: [Int: [Profile.Moment]]? = nil
    ) -> Run {
      run.with(
        profile: .some(
          Profile(
            functions: profile.functions, nodes: nodes ?? profile.nodes, threads: profile.threads,
            phases: profile.phases, counts: counts ?? profile.counts,
            timeline: timeline ?? profile.timeline, audit: profile.audit)))
    }
    let count = profile.counts[0]
    let broken = [
      variant(nodes: [.init(parent: 0, function: 0, line: 0, isInlined: false)]),
      variant(nodes: [.init(parent: -2, function: 0, line: 0, isInlined: false)]),
      variant(nodes: [.init(parent: -1, function: 999, line: 0, isInlined: false)]),
      variant(counts: [
        .init(
          launch: 1, node: profile.nodes.count, thread: 0, phase: 0, frameClass: .none,
          state: .running, samples: 1, weight: 1)
      ]),
      variant(counts: [
        .init(
          launch: 1, node: count.node, thread: count.thread, phase: 99, frameClass: .none,
          state: .running, samples: 1, weight: 1)
      ]),
      variant(timeline: [
        1: [
          .init(
            time: 0, node: 0, thread: 99, serial: 1, phase: 0, frameClass: .none, state: .running,
            cpu: nil)
        ]
      ]),
    ]
    let store = try RunStore.inMemory()
    for run in broken {
      let error = #expect(throws: StoreError.self) { try store.save(run) }
      guard case .unstorable = error else {
        Issue.record("not the error of a broken profile: \(String(describing: error))")
        return
      }
    }
    #expect(try store.headers().isEmpty)
  }

  @Test(arguments: [
    ("UPDATE frames SET data = x'01FF'", "a list of frames"),
    ("UPDATE series SET data = x''", "series rss"),
    ("UPDATE timelines SET data = x'010199'", "the time line of launch 1"),
    ("UPDATE timelines SET data = x'0101007F00000000'", "has an invalid index"),
    ("UPDATE profiles SET audit = '[]'", "the audit"),
    ("UPDATE profiles SET audit = 'none'", "the audit is not the expected JSON"),
    ("UPDATE profile_counts SET node = 9999", "a count of the profile has an invalid index"),
    ("UPDATE profile_counts SET state = 8", "a count of the profile has an invalid index"),
    ("UPDATE profile_counts SET samples = -1", "a count of the profile has -1 samples"),
    ("UPDATE runs SET command = '{'", "the command"),
    ("UPDATE runs SET command = '{}'", "the command"),
    ("UPDATE budgets SET unit = 'parsec'", "the budget of"),
    ("UPDATE series SET dimension = 'luck'", "the dimension of series rss"),
    ("UPDATE definitions SET direction = 'up'", "the definition of metric"),
    ("UPDATE iterations SET status = 'crashed', signal = NULL", "the status of launch 0"),
    (
      "UPDATE parameters SET value = 'many' WHERE kind = 'int'",
      "the value of a parameter does not have its type"
    ),
    ("UPDATE nodes SET function = (SELECT max(key) FROM functions) + 0, parent = key", "node "),
  ])
  func `the error of a damaged run names the damaged part`(sql: String, place: String) throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(launches: 1, samples: 50, fling: 100)
    try store.save(run)
    try store.database.writeWithoutTransaction { try $0.execute(sql: sql) }
    let error = try #require(#expect(throws: StoreError.self) { try store.run(id: run.id) })
    guard case .damaged(":memory:", let detail) = error else {
      Issue.record("not the error of damage: \(error)")
      return
    }
    #expect(detail.hasPrefix("run \(run.id): "))
    #expect(detail.contains(place))
    #expect(try store.check().contains(detail))
  }

  @Test func `a store with garbage pages throws an error instead of crashing`() throws {
    do {
      let store = try RunStore(path: path)
      try store.save(SampleRuns.run(launches: 3, samples: 3000, fling: 1000))
      try store.vacuum()
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // The first two pages are kept: they contain the header and the root of the schema.
    var random = SampleRandom(seed: 1)
    for index in stride(from: 8192, to: bytes.count, by: 7) {
      bytes[index] = UInt8(truncatingIfNeeded: random.next())
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) {
      let store = try RunStore(path: path, access: .reading)
      for header in try store.headers() { _ = try store.run(id: header.id) }
    }
    guard case .damaged = error else {
      Issue.record("not the error of damage: \(String(describing: error))")
      return
    }
  }
}
