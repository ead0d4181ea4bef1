import Foundation
import Glibc
import PerfStore
import PerfTestSupport
import Synchronization
import Testing

@testable import PerfHub

/// Servers that fail, and the errors that the user reads.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct HubFailureTests {
  private let test: TestHub

  init() throws { test = try TestHub() }

  /// Lets the server run a statement before it inserts the run `r2`.
  private func before(_ statement: String) throws {
    try test.sql(
      """
      CREATE FUNCTION disturb() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.id = 'r2' THEN \(statement); END IF;
          RETURN NEW;
        END $$;
      CREATE TRIGGER disturb BEFORE INSERT ON perfkit.runs FOR EACH ROW EXECUTE FUNCTION disturb();
      """)
  }

  /// Pushes three runs and returns the error; the second run is the one that fails.
  private func failure(options: String = "") throws -> HubError {
    for (place, id) in ["r1", "r2", "r3"].enumerated() { try test.save(id, minute: place) }
    return try #require(throws: HubError.self) {
      try test.hub(options: options).push(["r1", "r2", "r3"], of: test.store)
    }
  }

  /// Expects that the run before the failure is on the hub, and that a second push continues.
  private func expectContinuation() throws {
    #expect(try test.sql("SELECT string_agg(id, ' ' ORDER BY id) FROM perfkit.runs") == "r1")
    try test.sql("DROP TRIGGER disturb ON perfkit.runs")
    let again = try test.hub().push(["r1", "r2", "r3"], of: test.store)
    #expect((again.known, again.runs) == (1, 2))
    let target = try test.target()
    #expect(try test.hub().pull(HubFilter(), includesBulk: true, into: target).runs == 3)
    #expect(try target.check() == [])
  }

  // MARK: - In the middle of a push

  @Test
  func `a server that ends the connection in a push leaves whole runs, and the push continues`()
    throws
  {
    try before("PERFORM pg_terminate_backend(pg_backend_pid())")
    let error = try failure()
    guard case .lost = error else {
      Issue.record("\(error)")
      return
    }
    try expectContinuation()
  }

  @Test func `a server whose disk is full leaves whole runs, and the push continues`() throws {
    // The SQLSTATE of a full disk, which PostgreSQL reports for ENOSPC.
    try before(
      "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'")
    let error = try failure()
    #expect(
      error
        == .full(
          hub: "\(try HubAddress(test.url))",
          cause: "could not extend file: No space left on device"))
    try expectContinuation()
  }

  @Test func `a server that takes too long is given up, and the push continues`() throws {
    try before("PERFORM pg_sleep(60)")
    let error = try failure(options: "&options=-c%20statement_timeout%3D2000")
    guard case .slow(_, let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.contains("statement timeout"))
    try expectContinuation()
  }

  @Test func `a user's stop ends a push at once, and the push continues`() throws {
    try before("PERFORM pg_sleep(3600)")
    for (place, id) in ["r1", "r2", "r3"].enumerated() { try test.save(id, minute: place) }
    let stop = Mutex((isWanted: false, looks: 0))
    let address = test.postgres.url(
      test.url, options: "&options=-c%20statement_timeout%3D1h")
    let hub = try Hub(HubAddress(address)) {
      stop.withLock { stop in
        if stop.isWanted { stop.looks += 1 }
        return stop.isWanted
      }
    }
    // The statement would last an hour.
    #expect(throws: CancellationError.self) {
      try hub.push(["r1", "r2", "r3"], of: test.store) { done, _ in
        if done == 1 { stop.withLock { $0.isWanted = true } }
      }
    }
    // The first look at the stop, of five in a second, ends the push.
    let looks = stop.withLock { $0.looks }
    #expect(looks == 1)
    try expectContinuation()
  }

  @Test func `a server that is read-only refuses a push`() throws {
    let error = try failure(options: "&options=-c%20default_transaction_read_only%3Don")
    guard case .readOnly = error else {
      Issue.record("\(error)")
      return
    }
    #expect("\(error)".contains("read-only transaction"), "\(error)")
    #expect(try test.count("runs") == 0)
  }

  // MARK: - At the connection

  private func connectionError(_ url: String) throws -> HubError {
    try #require(throws: HubError.self) {
      try Hub(HubAddress(url), isCancelled: { false })
    }
  }

  @Test func `a wrong password is refused and not repeated`() throws {
    let url = test.postgres.url(test.url, user: "secured:wrong%20horse")
    let error = try connectionError(url)
    guard case .refused(_, let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause == "password authentication failed for user \"secured\"")
    #expect(!"\(error)".contains("horse"), "\(error)")
  }

  @Test func `a missing password is refused`() throws {
    let nowhere = "&passfile=/nowhere"
    let error = try connectionError(test.postgres.url(test.url, user: "secured", options: nowhere))
    guard case .refused = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test func `a password file gives the password`() throws {
    let file = test.folder("pgpass")
    try "*:*:*:secured:correct horse\n".write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    _ = try Hub.initialise(HubAddress(test.url), readers: ["secured"], isCancelled: { false })
    #expect(throws: Never.self) { try test.hub(user: "secured", options: "&passfile=\(file)") }
    #expect(throws: Never.self) { try test.hub(user: "secured:correct%20horse") }
  }

  @Test func `an unknown database is named`() throws {
    let error = try connectionError(test.postgres.url("nowhere"))
    guard case .unknownDatabase(_, let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause == "database \"nowhere\" does not exist")
  }

  @Test func `a server that is down is named with its cause`() throws {
    let error = try connectionError("postgresql://perf:s3cret@/runs?host=\(test.folder.path)")
    guard case .unreachable(let hub, let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(hub == "postgresql://perf@/runs?host=\(test.folder.path)")
    #expect(cause.contains("No such file or directory"), "\(cause)")
  }

  @Test func `a server that never answers is given up after the time of the address`() throws {
    // A socket that listens and never accepts.
    let path = test.folder(".s.PGSQL.5432")
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0 && listen(listener, 1) == 0)
    let error = try connectionError(
      "postgresql:///runs?host=\(test.folder.path)&connect_timeout=1")
    guard case .slow(_, let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause == "it did not answer within 1 s")
  }

  // MARK: - A server that dies

  @Test func `a server that is killed during pushes loses and doubles no run`() throws {
    let postgres = try TestPostgres()
    let test = try TestHub(postgres)
    let ids = (0..<12).map { "r\($0)" }
    for (place, id) in ids.enumerated() { try test.save(id, seed: UInt64(place), minute: place) }
    for round in 0..<3 {
      #expect(throws: HubError.self) {
        try test.hub().push(ids, of: test.store) { done, _ in
          if done == 4 * (round + 1) - 1 { postgres.end(by: SIGKILL) }
        }
      }
      try postgres.start()
    }
    let last = try test.hub().push(ids, of: test.store)
    #expect(last.known + last.runs == 12 && last.runs >= 1)
    #expect(try test.count("runs") == 12)
    let target = try test.target()
    #expect(try test.hub().pull(HubFilter(), includesBulk: true, into: target).runs == 12)
    for id in ids { expectEqual(try target.run(id: id), try test.store.run(id: id)) }
    postgres.end(by: SIGQUIT)
  }
}
