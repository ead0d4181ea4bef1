import PerfHub
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// The lease of a job whose server fails.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct JobLeaseTests {
  private let postgres: TestPostgres
  private let url: String
  private let hub: Hub
  private let job: Job
  private let lost = HubError.lost(hub: "h", cause: "the server ended")
  private let unreachable = HubError.unreachable(hub: "h", cause: "the server is down")

  init() throws {
    postgres = try #require(TestPostgres.shared)
    url = try postgres.database()
    let address = try HubAddress(url)
    _ = try Hub.initialise(address, isCancelled: { false })
    hub = try Hub(address, isCancelled: { false })
    _ = try hub.submit(
      JobRequest(
        repository: "https://example.org/a.git", base: "v1", candidate: "v2", scenario: "work"))
    job = try #require(try hub.take(as: "runner", classes: [], lease: .seconds(60)))
  }

  @Test func `a server that stays down until the lease ends is the error`() {
    let down = unreachable
    // This lease has ended already, so that the runner does not wait for the server.
    let lease = JobLease(of: job, hub, for: .zero) { throw down }
    #expect(throws: lost) { try lease.use { _ -> Bool in throw lost } }
    let isConnected = lease.hub != nil
    #expect(!isConnected)
    // The next use connects again.
    #expect(throws: unreachable) { try lease.use { _ in true } }
  }

  @Test func `a lease is lost if the server is down when it ends`() {
    let down = unreachable
    let lease = JobLease(of: job, hub, for: .zero) { throw down }
    #expect(throws: lost) { try lease.use { _ -> Bool in throw lost } }
    #expect(!lease.extend())
    guard case .lost = lease.state else {
      Issue.record("the lease is \(lease.state)")
      return
    }
    #expect(!lease.extend())
  }

  @Test func `a lease is extended during a push`() throws {
    let folder = try TemporaryFolder()
    let store = try RunStore(path: folder("s.sqlite"))
    for id in ["r1", "r2"] { try store.save(SampleRuns.run(launches: 2, samples: 60, id: id)) }
    try postgres.psql("UPDATE perfkit.jobs SET lease_until = NULL", in: url)
    // Each sign of life of this lease is due at once.
    let lease = JobLease(of: job, hub, for: .zero) { hub }
    try lease.push(["r1", "r2"], of: store)
    #expect(try postgres.psql("SELECT lease_until IS NOT NULL FROM perfkit.jobs", in: url) == "t")
    #expect(try postgres.psql("SELECT count(*) FROM perfkit.runs", in: url) == "2")
  }

  @Test func `an error that another connection has, too, is reported at once`() {
    let full = HubError.full(hub: "h", cause: "No space left on device")
    let lease = JobLease(of: job, hub, for: .seconds(60)) { hub }
    #expect(throws: full) { try lease.use { _ -> Bool in throw full } }
    let isConnected = lease.hub != nil
    #expect(isConnected)
  }
}
