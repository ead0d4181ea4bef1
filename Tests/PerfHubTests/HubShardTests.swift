import Foundation
import PerfTestSupport
import Testing

@testable import PerfHub

/// The results of the shards of gates.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct HubShardTests {
  private let test: TestHub

  init() throws { test = try TestHub() }

  private func shard(_ number: Int, of count: Int, _ text: String) -> HubShard {
    HubShard(number: number, count: count, content: Array(text.utf8))
  }

  @Test func `the shards of a gate are returned in order, and those of other gates are not`() throws
  {
    let hub = try test.hub()
    let shards = (1...3).map { shard($0, of: 3, "results \($0)") }
    for shard in shards.reversed() { try hub.push(shard, ofGate: "abc:") }
    try hub.push(shard(1, of: 1, "other"), ofGate: "abc:books/")
    #expect(try hub.shards(ofGate: "abc:") == shards)
    #expect(try hub.shards(ofGate: "ab") == [])
  }

  @Test func `a shard that is pushed again replaces its results`() throws {
    let hub = try test.hub()
    for text in ["first", "second"] { try hub.push(shard(1, of: 2, text), ofGate: "abc:") }
    #expect(try hub.shards(ofGate: "abc:") == [shard(1, of: 2, "second")])
  }

  @Test func `of several splits of a gate, the latest one counts`() throws {
    let hub = try test.hub()
    for number in 1...3 { try hub.push(shard(number, of: 3, "old"), ofGate: "abc:") }
    try hub.push(shard(2, of: 2, "new"), ofGate: "abc:")
    #expect(try hub.shards(ofGate: "abc:") == [shard(2, of: 2, "new")])
  }

  @Test func `the content of a shard that was changed on the hub is damaged`() throws {
    let hub = try test.hub()
    try hub.push(shard(1, of: 1, "results"), ofGate: "abc:")
    try test.sql("UPDATE perfkit.shards SET content = decode('0102', 'hex')")
    let error = #expect(throws: HubError.self) { try hub.shards(ofGate: "abc:") }
    #expect(error.map { "\($0)".contains("shard 1 of gate abc:") } == true)
  }

  /// Schema 2 has no shards; its roles receive the rights on the tables that an update creates.
  @Test func `a hub of schema 2 is updated, and its roles keep their rights`() throws {
    let name = "role" + UUID().uuidString.prefix(8).lowercased()
    let (writer, reader) = (name + "a", name + "b")
    for role in [writer, reader] { try test.postgres.psql("CREATE ROLE \(role) LOGIN") }
    let address = try HubAddress(test.url)
    _ = try Hub.initialise(
      address, writers: [writer], readers: [reader], isCancelled: { false })
    try test.sql("DROP TABLE perfkit.shards; DELETE FROM perfkit.versions WHERE version > 2")
    #expect(
      throws: HubError.olderSchema(hub: "\(address)", found: 2, known: HubSchema.current)
    ) { try test.hub() }
    #expect(
      try Hub.initialise(address, isCancelled: { false })
        == Hub.Initialisation(previous: 2, current: HubSchema.current))
    let pushed = shard(1, of: 1, "results")
    try test.hub(user: writer).push(pushed, ofGate: "abc:")
    try test.hub(user: writer).push(pushed, ofGate: "abc:")
    #expect(try test.hub(user: reader).shards(ofGate: "abc:") == [pushed])
    let error = #expect(throws: HubError.self) {
      try test.hub(user: reader).push(pushed, ofGate: "abc:")
    }
    guard case .notPermitted? = error else {
      Issue.record("\(error.map { "\($0)" } ?? "")")
      return
    }
  }
}
