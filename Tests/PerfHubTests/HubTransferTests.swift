import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfHub
@testable import PerfStore

/// Copies between run stores and a hub.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct HubTransferTests {
  private let test: TestHub

  init() throws { test = try TestHub() }

  @Test func `a run reaches another store with every part`() throws {
    let run = try test.save("r1")
    let pushed = try test.hub().push(["r1"], of: test.store)
    #expect(pushed.runs == 1 && pushed.bytes > 0)
    let target = try test.target()
    let pulled = try test.hub().pull(.named("r1"), includesBulk: true, into: target)
    #expect(pulled == StoreTransfer(runs: 1, completed: 1))
    expectEqual(try target.run(id: "r1"), run)
    #expect(try target.check() == [])
  }

  @Test func `metrics are pulled without profiles, which follow on request`() throws {
    try test.save("r1")
    _ = try test.hub().push(["r1"], of: test.store)
    let target = try test.target()
    #expect(
      try test.hub().pull(HubFilter(), includesBulk: false, into: target) == StoreTransfer(runs: 1))
    #expect(try target.run(id: "r1").profile == nil)
    #expect(
      try test.hub().pull(HubFilter(), includesBulk: true, into: target)
        == StoreTransfer(completed: 1, known: 1))
    expectEqual(try target.run(id: "r1"), try test.store.run(id: "r1"))
    #expect(
      try test.hub().pull(HubFilter(), includesBulk: true, into: target) == StoreTransfer(known: 1))
  }

  @Test func `a second push and a second pull change nothing`() throws {
    try test.addComparison()
    try test.store.saveBaseline("main", runs: ["r1"], saved: SampleRuns.firstStart)
    let first = try test.hub().push(["r1", "r2"], baselines: ["main"], of: test.store)
    #expect((first.runs, first.comparisons, first.decisions, first.baselines) == (2, 1, 1, 1))
    let before = try test.sql("SELECT md5(string_agg(r::text, '' ORDER BY id)) FROM perfkit.runs r")
    var again = HubTransfer()
    again.known = 5
    #expect(try test.hub().push(["r1", "r2"], baselines: ["main"], of: test.store) == again)
    #expect(
      try test.sql("SELECT md5(string_agg(r::text, '' ORDER BY id)) FROM perfkit.runs r") == before)
    let target = try test.target()
    let pulled = try test.hub().pull(HubFilter(), includesBulk: false, into: target)
    #expect(
      (pulled.runs, pulled.comparisons, pulled.decisions, pulled.baselines) == (2, 1, 1, 1))
    #expect(try target.comparisons() == test.store.comparisons())
    #expect(try target.decisions() == test.store.decisions())
    #expect(try target.baseline(named: "main").runs.map(\.id) == ["r1"])
    #expect(
      try test.hub().pull(HubFilter(), includesBulk: false, into: target) == StoreTransfer(known: 5)
    )
  }

  @Test func `what a store pulled can be pushed again without an effect`() throws {
    try test.addComparison()
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    let target = try test.target()
    _ = try test.hub().pull(HubFilter(), includesBulk: false, into: target)
    let pushed = try test.hub().push(["r1", "r2"], of: target)
    #expect(pushed.known == 4 && pushed.runs == 0 && pushed.completed == 0)
  }

  @Test func `a hub that has a run without its profile receives the profile later`() throws {
    try test.save("r1")
    let metrics = try test.target("metrics")
    try metrics.save(test.store.run(id: "r1", including: []))
    #expect(try test.hub().push(["r1"], of: metrics).runs == 1)
    #expect(try test.hub().push(["r1"], of: test.store).completed == 1)
    let target = try test.target()
    _ = try test.hub().pull(HubFilter(), includesBulk: true, into: target)
    expectEqual(try target.run(id: "r1"), try test.store.run(id: "r1"))
  }

  @Test func `a run with the same id and another content is refused with both places`() throws {
    let other = try test.target("other")
    try test.save("r1", seed: 1)
    try test.save("r1", in: other, seed: 2)
    try test.save("r2", in: other, minute: 1)
    _ = try test.hub().push(["r1"], of: test.store)
    let refused = HubError.differentContent(
      hub: "\(try HubAddress(test.url))", store: other.path, id: "r1")
    #expect(throws: refused) { try test.hub().push(["r1", "r2"], of: other) }
    #expect(try test.count("runs") == 1)
    #expect(throws: refused) {
      try test.hub().pull(HubFilter(), includesBulk: false, into: other)
    }
    for part in [String(test.url.suffix(20)), "other.sqlite", "'r1'"] {
      #expect("\(refused)".contains(part), "\(refused)")
    }
  }

  @Test func `a pull with one refused run imports none`() throws {
    let other = try test.target("other")
    for (place, id) in ["r1", "r2", "r3"].enumerated() { try test.save(id, minute: place) }
    try test.save("r2", in: other, seed: 2)
    _ = try test.hub().push(["r1", "r2", "r3"], of: test.store)
    #expect(throws: HubError.self) {
      try test.hub().pull(HubFilter(), includesBulk: false, into: other)
    }
    #expect(try other.headers().map(\.id) == ["r2"])
  }

  @Test func `a run whose text another version wrote is the same run`() throws {
    try test.save("r1")
    _ = try test.hub().push(["r1"], of: test.store)
    try test.sql("UPDATE perfkit.runs SET digest = 'of another version'")
    #expect(try test.hub().push(["r1"], of: test.store).known == 1)
    #expect(
      try test.hub().pull(HubFilter(), includesBulk: false, into: test.store)
        == StoreTransfer(known: 1))
  }

  @Test(arguments: ["", "\u{0}\nr1\nr1 wrong\nr1 a b\n", "r9 0123456789abcdef\n"])
  func `the digests beside a store may be lost or damaged`(text: String) throws {
    try test.save("r1")
    _ = try test.hub().push(["r1"], of: test.store)
    let target = try test.target()
    _ = try test.hub().pull(HubFilter(), includesBulk: false, into: target)
    for store in [test.store, target] {
      let file = store.path + DigestCache.ending
      #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("r1 "))
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try test.hub().push(["r1"], of: store).known == 1)
      #expect(
        try test.hub().pull(HubFilter(), includesBulk: false, into: store)
          == StoreTransfer(known: 1)
      )
    }
  }

  @Test func `values that are not numbers reach another store`() throws {
    let run = SampleRuns.run(launches: 2, samples: 0, fling: 0, id: "r1")
    let launch = Launch(
      index: 9, isWarmup: false, status: .completed, offset: 0, metrics: ["wall": .nan])
    try test.store.save(
      Run(
        id: "r1", scenario: run.scenario, variant: run.variant, label: nil, started: run.started,
        seed: 1, parameters: [:], command: [], environment: run.environment,
        definitions: run.definitions, launches: run.launches + [launch], budgets: [], profile: nil,
        warnings: [], wasInterrupted: false))
    _ = try test.hub().push(["r1"], of: test.store)
    let target = try test.target()
    _ = try test.hub().pull(HubFilter(), includesBulk: true, into: target)
    #expect(try target.run(id: "r1").launches.last?.metrics["wall"]?.isNaN == true)
    #expect(try test.hub().push(["r1"], of: target).known == 1)
  }

  @Test func `unfinished runs stay in the store`() throws {
    try test.store.begin(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "r1"))
    let pushed = try test.hub().push(["r1"], of: test.store)
    #expect(pushed.unfinished == ["r1"] && pushed.runs == 0)
    #expect(try test.count("runs") == 0)
  }

  // MARK: - Comparisons, decisions and baselines

  @Test func `further sessions of a comparison reach the hub and other stores`() throws {
    try test.addComparison()
    let target = try test.target()
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    _ = try test.hub().pull(HubFilter(), includesBulk: false, into: target)
    try test.save("r3", minute: 1)
    try test.save("r4", variant: "naive", minute: 1)
    try test.store.append(.init(base: "r3", candidate: "r4"), toComparison: TestHub.comparison)
    #expect(
      try test.hub().push(["r1", "r2", "r3", "r4"], of: test.store).comparisons == 1)
    #expect(
      try test.hub().pull(HubFilter(), includesBulk: false, into: target).comparisons == 1)
    #expect(try target.comparisons() == test.store.comparisons())
    // The earlier state has fewer sessions, and removes none.
    let early = try test.target("early")
    try early.save(test.store.run(id: "r1"))
    try early.save(test.store.run(id: "r2"))
    var state = try test.store.comparison(id: TestHub.comparison)
    state = StoredComparison(
      id: state.id, subject: state.subject, started: state.started, design: state.design)
    try early.save(state)
    try early.append(.init(base: "r1", candidate: "r2"), toComparison: state.id)
    #expect(try test.hub().push(["r1", "r2"], of: early).comparisons == 0)
    #expect(
      try test.sql("SELECT cardinality(runs) FROM perfkit.comparisons") == "4")
  }

  @Test func `a comparison with the same id and other sessions is refused`() throws {
    try test.addComparison()
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    let other = try test.target("other")
    for id in ["r5", "r6"] { try test.save(id, in: other, minute: 5) }
    let own = try test.store.comparison(id: TestHub.comparison)
    try other.save(
      StoredComparison(
        id: own.id, subject: own.subject, started: own.started, design: own.design))
    try other.append(.init(base: "r5", candidate: "r6"), toComparison: own.id)
    #expect(
      throws: HubError.differentContent(
        hub: "\(try HubAddress(test.url))", store: other.path, id: own.id)
    ) { try test.hub().push(["r5", "r6"], of: other) }
  }

  @Test func `a comparison stays on the hub until all its runs are pulled`() throws {
    try test.addComparison()
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    let target = try test.target()
    _ = try test.hub().pull(.named("r1"), includesBulk: false, into: target)
    #expect(try target.comparisons().isEmpty)
    let rest = try test.hub().pull(.named("r2"), includesBulk: false, into: target)
    #expect((rest.runs, rest.comparisons, rest.decisions) == (1, 1, 1))
  }

  @Test func `decisions of two machines are kept under different numbers`() throws {
    try test.addComparison()
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    let other = try test.target("other")
    _ = try test.hub().pull(HubFilter(), includesBulk: false, into: other)
    try test.decide("Another reason.", in: other)
    try test.decide("A third reason.", in: test.store)
    #expect(try test.hub().push(["r1", "r2"], of: other).decisions == 1)
    #expect(try test.hub().push(["r1", "r2"], of: test.store).decisions == 1)
    _ = try test.hub().pull(HubFilter(), includesBulk: false, into: other)
    #expect(
      try other.decisions().map(\.because)
        == ["It is faster.", "Another reason.", "A third reason."])
    #expect(try other.decisions().map(\.number) == [1, 2, 3])
  }

  @Test func `the baseline that was saved last wins`() throws {
    try test.save("r1")
    try test.save("r2", minute: 1)
    func time(_ number: Int64) -> Timestamp { Timestamp(milliseconds: number) }
    try test.store.saveBaseline("main", runs: ["r1"], saved: time(2))
    #expect(try test.hub().push([], baselines: ["main"], of: test.store).runs == 1)
    let other = try test.target("other")
    _ = try test.hub().pull(.named("baseline:main"), includesBulk: false, into: other)
    #expect(try other.baseline(named: "main").runs.map(\.id) == ["r1"])
    // An earlier save elsewhere changes neither the hub nor this store.
    try test.store.saveBaseline("main", runs: ["r2"], saved: time(1))
    #expect(try test.hub().push([], baselines: ["main"], of: test.store).baselines == 0)
    try test.store.saveBaseline("main", runs: ["r2"], saved: time(3))
    #expect(try test.hub().push([], baselines: ["main"], of: test.store).baselines == 1)
    #expect(
      try test.hub().pull(.named("baseline:main"), includesBulk: false, into: other).baselines == 1)
    #expect(try other.baseline(named: "main").runs.map(\.id) == ["r2"])
  }

  // MARK: - Content of others

  @Test(arguments: [
    "UPDATE perfkit.runs SET record = '\\x00'",
    "UPDATE perfkit.runs SET record_size = record_size + 1",
    "UPDATE perfkit.runs SET record_size = -1",
    "UPDATE perfkit.runs SET record = b.record, record_size = b.record_size FROM perfkit.runs AS b WHERE b.id = 'r2'",
    "UPDATE perfkit.runs SET id = 'r9' WHERE id = 'r1'",
  ])
  func `a damaged record is refused, and the store stays as it was`(damage: String) throws {
    try test.save("r1")
    try test.save("r2", seed: 2, minute: 1)
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    try test.sql(damage)
    let target = try test.target()
    let error = try #require(throws: (any Error).self) {
      try test.hub().pull(HubFilter(), includesBulk: false, into: target)
    }
    #expect("\(error)".contains("hub"), "\(error)")
    #expect("\(error)".contains("Nothing was changed"), "\(error)")
    #expect(try target.headers().isEmpty)
  }

  @Test func `a profile that is a store of other runs is refused`() throws {
    try test.save("r1")
    try test.save("r2", seed: 2, minute: 1)
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    try test.sql(
      """
      UPDATE perfkit.runs SET bulk = b.bulk, bulk_size = b.bulk_size
      FROM perfkit.runs AS b WHERE b.id = 'r2'
      """)
    let target = try test.target()
    let error = try #require(throws: StoreError.self) {
      try test.hub().pull(.named("r1"), includesBulk: true, into: target)
    }
    #expect("\(error)".contains("run r1 of hub "), "\(error)")
    #expect(try target.headers().map(\.id) == ["r1"])
  }
}
