import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Gates whose shards meet on a hub.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct GateHubTests {
  private let repository: TestRepository
  private let postgres: TestPostgres
  private let url: String

  init() throws {
    repository = try TestRepository()
    try repository.scenario("other", budget: "wall <= 60 s")
    try repository.commit("Other")
    try repository.write("notes", "one\n")
    try repository.commit("Notes")
    postgres = try #require(TestPostgres.shared)
    url = try postgres.database()
    #expect(repository.perfkit("hub", "init", url).status == .done)
  }

  private func measure(_ shard: String, _ words: String...) -> TestCommand.Result {
    repository.perfkit.run(
      ["gate", "--against", "HEAD~1", "--no-profile", "--hub", url, "--shard", shard] + words)
  }

  private func collect(_ words: String...) -> TestCommand.Result {
    repository.perfkit.run(["gate", "--collect", "--hub", url] + words)
  }

  @Test func `shards join from a hub as from a folder, and a missing one is named`() throws {
    for number in 1...2 {
      let part = measure("\(number)/2")
      #expect(part.status == .done, "\(part.output)\(part.errors)")
    }
    let file = repository.perfkit("gate", "--collect", ".perfkit", "--format", "json")
    let joined = collect("--format", "json")
    #expect(joined.status == .done, "\(joined.errors)")
    #expect(joined.output == file.output)
    try postgres.psql("DELETE FROM perfkit.shards WHERE number = 2", in: url)
    let missing = collect("--inconclusive", "pass")
    #expect(missing.status == .inconclusive, "\(missing.output)")
    #expect(missing.prints("shard 2 of 2 (missing)"), "\(missing.output)")
  }

  @Test func `shards with other options are refused with their places`() throws {
    #expect(measure("1/2").status == .done)
    #expect(measure("2/2", "--quick").status == .done)
    let mixed = collect()
    #expect(mixed.status == .failed)
    #expect(mixed.says("'shard 1 of 2 on hub postgresql://"), "\(mixed.errors)")
    #expect(mixed.says("--quick is 'false' in the first"), "\(mixed.errors)")
  }

  @Test func `a shard that fails is on the hub, and fails the joined gate`() throws {
    try repository.write("build.sh", "exit 1\n")
    try repository.commit("A build that fails")
    #expect(measure("1/1").status == .failed)
    let joined = collect()
    #expect(joined.status == .failed, "\(joined.output)")
    #expect(joined.prints("gate, shard 1 of 1"), "\(joined.output)")
  }

  @Test func `a commit without shards is an error with its name`() throws {
    let commit = try repository.git("rev-parse", "HEAD").prefix(10)
    let empty = collect()
    #expect(empty.status == .failed)
    #expect(empty.says("has no shard of a gate of the commit \(commit)"), "\(empty.errors)")
  }

  @Test func `a collection without a folder and a hub is wrong usage`() throws {
    let result = repository.perfkit("gate", "--collect", "--hub", "")
    #expect(result.status == .usage)
    #expect(result.says("--collect needs a folder or a hub"), "\(result.errors)")
  }

  @Test func `a hub that is out of reach does not change a shard's exit status`() throws {
    let nowhere = "postgresql:///runs?host=/nowhere"
    let part = repository.perfkit.run(
      ["gate", "--against", "HEAD~1", "--no-profile", "--hub", nowhere, "--shard", "1/2"])
    #expect(part.status == .done)
    #expect(part.says("the results of the shard are not on the hub"), "\(part.errors)")
  }
}
