import Foundation
import PerfStore
import PerfTestSupport
import Testing

@testable import PerfHub

/// The tables of a hub, their versions and the rights on them.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct HubSchemaTests {
  private let test: TestHub

  init() throws { test = try TestHub() }

  private func initialise(_ url: String, writers: [String] = [], readers: [String] = []) throws
    -> Hub.Initialisation
  {
    try Hub.initialise(
      HubAddress(url), writers: writers, readers: readers, isCancelled: { false })
  }

  @Test func `a hub is made once and kept by later calls`() throws {
    let url = try test.postgres.database()
    let current = HubSchema.current
    #expect(try initialise(url) == Hub.Initialisation(previous: 0, current: current))
    #expect(try initialise(url) == Hub.Initialisation(previous: current, current: current))
  }

  @Test func `several processes that make a hub at the same time make it once`() async throws {
    let url = try test.postgres.database()
    let found = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try self.initialise(url).previous } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.filter { $0 == 0 }.count == 1)
    #expect(
      try test.postgres.psql("SELECT max(version) = count(*) FROM perfkit.versions", in: url) == "t"
    )
  }

  @Test func `a database without the tables of a hub is refused`() throws {
    let url = try test.postgres.database()
    let error = #expect(throws: HubError.self) {
      try Hub(HubAddress(url), isCancelled: { false })
    }
    #expect(error == .missing(hub: "\(try HubAddress(url))"))
  }

  @Test func `a hub of a newer perfkit is refused with both versions`() throws {
    let hub = "\(try HubAddress(test.url))"
    try test.sql("INSERT INTO perfkit.versions (version) VALUES (7)")
    let refused = HubError.newerSchema(hub: hub, found: 7, known: HubSchema.current)
    #expect(throws: refused) { try test.hub() }
    #expect(throws: refused) { try initialise(test.url) }
    #expect("\(refused)".contains("is 7") && "\(refused)".contains("\(HubSchema.current)"))
  }

  @Test func `a hub of an older perfkit is refused until it is updated`() throws {
    // The tables of a hub whose first migration did not exist yet.
    try test.sql("DELETE FROM perfkit.versions")
    let hub = "\(try HubAddress(test.url))"
    #expect(throws: HubError.olderSchema(hub: hub, found: 0, known: HubSchema.current)) {
      try test.hub()
    }
  }

  // MARK: - Roles

  @Test func `a writer pushes and pulls, and a reader only pulls`() throws {
    let (writer, reader) = try roles()
    _ = try initialise(test.url, writers: [writer], readers: [reader])
    try test.addComparison()
    try test.store.saveBaseline("main", runs: ["r1"], saved: SampleRuns.firstStart)
    #expect(
      try test.hub(user: writer).push(["r1", "r2"], baselines: ["main"], of: test.store).runs == 2)
    let target = try test.target()
    #expect(
      try test.hub(user: reader).pull(HubFilter(), includesBulk: true, into: target).runs == 2)
    try test.save("r3", minute: 1)
    let error = #expect(throws: HubError.self) {
      try test.hub(user: reader).push(["r3"], of: test.store)
    }
    guard case .notPermitted(_, let cause)? = error else {
      Issue.record("\(error.map { "\($0)" } ?? "")")
      return
    }
    #expect(cause.contains("runs"))
    for retention in [HubRetention(runs: 0), HubRetention(profiles: 0)] {
      #expect(
        throws: HubError.notOwner(
          hub: "\(try HubAddress(test.postgres.url(test.url, user: writer)))")
      ) {
        try test.hub(user: writer).prune(retention)
      }
    }
    #expect(try test.sql("SELECT count(bulk) FROM perfkit.runs") == "2")
    #expect(try test.hub().runs().first?.pushedBy == writer)
  }

  @Test func `a role without rights is refused`() throws {
    let (other, _) = try roles()
    let error = #expect(throws: HubError.self) { try test.hub(user: other) }
    guard case .notPermitted? = error else {
      Issue.record("\(error.map { "\($0)" } ?? "")")
      return
    }
  }

  @Test func `rights for an unknown role change nothing`() throws {
    let url = try test.postgres.database()
    let (known, _) = try roles()
    let hub = "\(try HubAddress(url))"
    #expect(throws: HubError.unknownRole(hub: hub, role: "no one; DROP")) {
      try initialise(url, writers: [known, "no one; DROP"])
    }
    #expect(try test.postgres.psql("SELECT to_regnamespace('perfkit') IS NULL", in: url) == "t")
  }

  @Test func `a role with an unusual name receives rights`() throws {
    let name = "o'Neil \"\(UUID().uuidString)\""
    try test.postgres.psql(
      "CREATE ROLE \"\(name.replacingOccurrences(of: "\"", with: "\"\""))\" LOGIN")
    #expect(throws: Never.self) { try initialise(test.url, readers: [name]) }
  }

  /// Creates two roles.
  private func roles() throws -> (String, String) {
    let name = "role" + UUID().uuidString.prefix(8).lowercased()
    for role in [name + "a", name + "b"] { try test.postgres.psql("CREATE ROLE \(role) LOGIN") }
    return (name + "a", name + "b")
  }
}
