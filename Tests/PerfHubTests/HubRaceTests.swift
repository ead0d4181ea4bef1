import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfHub
@testable import PerfStore

/// Transfers while another process changes the hub; triggers act for the other process.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct HubRaceTests {
  private let test: TestHub

  init() throws { test = try TestHub() }

  /// Lets the server run a body before each change of a table.
  private func before(_ event: String, of table: String, _ body: String) throws {
    try test.sql(
      """
      CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body) END $$;
      CREATE TRIGGER other BEFORE \(event) ON perfkit.\(table) FOR EACH ROW EXECUTE FUNCTION other();
      """)
  }

  /// Lets another process insert a comparison just before this one does.
  private func overtake(by comparison: StoredComparison) throws {
    let record = try JSONText.encode(comparison).replacingOccurrences(of: "'", with: "''")
    try before(
      "INSERT", of: "comparisons",
      """
      IF pg_trigger_depth() = 1 THEN
        INSERT INTO perfkit.comparisons VALUES ('\(comparison.id)', '\(comparison.subject)',
          \(comparison.started.milliseconds), false, '{\(comparison.runs.joined(separator: ","))}',
          '\(record)');
      END IF;
      RETURN NEW;
      """)
  }

  /// Returns the comparison of the store with other sessions.
  private func comparison(_ legs: [StoredComparison.Leg]) throws -> StoredComparison {
    let own = try test.store.comparison(id: TestHub.comparison)
    return StoredComparison(
      id: own.id, subject: own.subject, started: own.started, design: own.design, legs: legs)
  }

  @Test func `a later state that another process pushes at the same time is kept`() throws {
    try test.addComparison()
    let legs: [StoredComparison.Leg] = [
      .init(base: "r1", candidate: "r2"), .init(base: "r3", candidate: "r4"),
    ]
    try overtake(by: comparison(legs))
    #expect(try test.hub().push(["r1", "r2"], of: test.store).comparisons == 0)
    #expect(try test.sql("SELECT cardinality(runs) FROM perfkit.comparisons") == "4")
  }

  @Test func `an earlier state that another process pushes at the same time is replaced`() throws {
    try test.addComparison()
    try test.save("r3", minute: 1)
    try test.save("r4", variant: "naive", minute: 1)
    try test.store.append(.init(base: "r3", candidate: "r4"), toComparison: TestHub.comparison)
    try overtake(by: comparison([.init(base: "r1", candidate: "r2")]))
    #expect(try test.hub().push(["r1", "r2", "r3", "r4"], of: test.store).comparisons == 1)
    #expect(try test.sql("SELECT cardinality(runs) FROM perfkit.comparisons") == "4")
  }

  @Test func `another measurement that another process pushes at the same time is refused`() throws
  {
    try test.addComparison()
    try overtake(by: comparison([.init(base: "r5", candidate: "r6")]))
    #expect(
      throws: HubError.differentContent(
        hub: "\(try HubAddress(test.url))", store: test.store.path, id: TestHub.comparison)
    ) { try test.hub().push(["r1", "r2"], of: test.store) }
  }

  @Test func `a run that is removed while it is pushed is an error with the next step`() throws {
    // The insertion meets a run that no later statement finds.
    try before("INSERT", of: "runs", "RETURN NULL;")
    try test.save("r1")
    let error = try #require(throws: HubError.self) {
      try test.hub().push(["r1"], of: test.store)
    }
    #expect("\(error)".contains("run r1 was removed while it was pushed"), "\(error)")
    #expect("\(error)".contains("Repeat the command"), "\(error)")
  }

  @Test func `profiles that another process pushes at the same time are not counted`() throws {
    try test.save("r1")
    let metrics = try test.target("metrics")
    try metrics.save(test.store.run(id: "r1", including: []))
    _ = try test.hub().push(["r1"], of: metrics)
    try before("UPDATE", of: "runs", "RETURN NULL;")
    let pushed = try test.hub().push(["r1"], of: test.store)
    #expect((pushed.completed, pushed.known, pushed.bytes) == (0, 1, 0))
  }

  @Test func `a pull brings the hub as it was at its begin`() throws {
    try test.addComparison()
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    let target = try test.target()
    let pulled = try test.hub().pull(HubFilter(), includesBulk: false, into: target) { _, _ in
      _ = try? test.sql("DELETE FROM perfkit.comparisons; DELETE FROM perfkit.runs")
    }
    #expect((pulled.runs, pulled.comparisons, pulled.decisions) == (2, 1, 1))
    #expect(try test.count("runs") == 0)
    #expect(try target.check() == [])
  }

  @Test func `profiles that are removed during a pull are left out`() throws {
    for (place, id) in ["r1", "r2"].enumerated() { try test.save(id, minute: place) }
    _ = try test.hub().push(["r1", "r2"], of: test.store)
    let target = try test.target()
    var calls = 0
    let pulled = try test.hub().pull(HubFilter(), includesBulk: true, into: target) { _, _ in
      calls += 1
      // The first call follows the metrics of both runs, the second one the profile of the first.
      if calls == 2 { _ = try? test.hub().prune(HubRetention(profiles: 0)) }
    }
    #expect((pulled.runs, pulled.completed) == (2, 1))
    #expect(try target.run(id: "r1").profile != nil)
    #expect(try target.run(id: "r2").profile == nil)
  }

  @Test func `many runs are pulled in the order of their start`() throws {
    // More than two parts of the parser.
    let ids = (0..<230).map { "r\($0 * 7 % 230)" }
    for (place, id) in ids.enumerated() {
      try test.save(id, seed: UInt64(place), minute: place, samples: 0)
    }
    _ = try test.hub().push(ids.sorted(), of: test.store)
    let target = try test.target()
    var counts: [Int] = []
    let pulled = try test.hub().pull(HubFilter(), includesBulk: false, into: target) { done, _ in
      counts.append(done)
    }
    #expect(pulled == StoreTransfer(runs: 230))
    #expect(counts == [100, 200, 230])
    #expect(try target.headers().map(\.id) == ids.reversed())
    for id in ids.prefix(3) {
      expectEqual(try target.run(id: id), try test.store.run(id: id, including: []))
    }
  }
}
