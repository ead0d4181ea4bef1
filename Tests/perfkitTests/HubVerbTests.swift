import Foundation
import PerfGate
import PerfModel
import PerfReport
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// The hub on the command line.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct HubVerbTests {
  private let perfkit: TestCommand
  private let postgres: TestPostgres
  private let url: String
  /// The store of another machine.
  private let elsewhere = ["--store", "elsewhere.sqlite"]

  init() throws {
    perfkit = try TestCommand.measuring("work", "[sh, -c, exit 0]")
    postgres = try #require(TestPostgres.shared)
    url = try postgres.database()
    #expect(perfkit("hub", "init", url, "--reader", "secured").status == .done)
  }

  private func count(_ table: String) throws -> String {
    try postgres.psql("SELECT count(*) FROM perfkit.\(table)", in: url)
  }

  private static func json(_ result: TestCommand.Result) throws -> JSONValue {
    try #require(JSONValue(parsing: result.output.utf8), "\(result.errors)")
  }

  @Test(arguments: [
    "https://reader:s3cret@example.org/a.git", "https://reader:s3 cr%zzet@example.org/a.git",
    "https://s3cret@example.org/a.git", "HTTP://s3cret@example.org:80/a.git",
    "ssh://reader:s3[cret@example.org:22/a.git", "git+ssh://reader:s3cret@example.org/a.git",
  ])
  func `a job whose repository has a password or token in its address is refused`(
    address: String
  ) throws {
    let refused = perfkit(
      "hub", "submit", "diff", "a", "b", "--scenario", "work", "--repository", address, "--hub",
      url)
    #expect(refused.status == .usage && refused.says("password or token"), "\(refused.errors)")
    #expect(refused.says("git's credential helper") && !refused.errors.contains("s3"))
    #expect(try count("jobs") == "0")
  }

  @Test(arguments: [
    "ssh://git@example.org:22/a.git", "git@example.org:team/a.git", "https://example.org/a:b@c.git",
    "git+ssh://git@[::1]:22/a.git", "/home/reader/a@b.git",
  ])
  func `a job whose repository has no secret in its address is accepted`(address: String) {
    let submitted = perfkit(
      "hub", "submit", "diff", "a", "b", "--scenario", "work", "--repository", address, "--hub",
      url)
    #expect(submitted.status == .done, "\(submitted.errors)")
  }

  @Test(arguments: [
    ("done", "0", PerfGate.ExitStatus.done), ("done", "1", .gateFailed), ("done", "2", .failed),
    ("done", "3", .inconclusive), ("done", "4", .void), ("done", "NULL", .failed),
    ("failed", "NULL", .failed), ("cancelled", "NULL", .failed), ("waiting", "NULL", .inconclusive),
    ("running", "NULL", .inconclusive),
  ])
  func `waiting for a job exits like a gate`(
    state: String, status: String, expected: PerfGate.ExitStatus
  ) throws {
    _ = perfkit(
      "hub", "submit", "diff", "a", "b", "--scenario", "work", "--repository",
      "https://example.org/a.git", "--hub", url)
    try postgres.psql("UPDATE perfkit.jobs SET state = '\(state)', status = \(status)", in: url)
    let waited = perfkit("hub", "wait", "1", "--max-time", "0ms", "--hub", url)
    #expect(waited.status == expected, "\(waited.output)\(waited.errors)")
  }

  // MARK: - Pushing at the end

  @Test func `a run that names a hub is pushed, pulled elsewhere and shown there`() throws {
    let run = perfkit("run", "work", "--no-report", "--hub", url)
    #expect(run.status == .done && run.says("pushed 1 run, 0 comparisons"), "\(run.errors)")
    let list = perfkit("hub", "list", "--hub", url, "--format", "json")
    try expect(Self.json(list), matches: "hub-runs")
    let id = try #require(Self.json(list).elements.first?["run"]?.text)
    let pull = perfkit.run(["hub", "pull", id, "--hub", url] + elsewhere)
    #expect(pull.status == .done && pull.says("pulled 1 run"), "\(pull.errors)")
    #expect(
      perfkit.run(["show", id, "--format", "json"] + elsewhere).output
        == perfkit("show", id, "--format", "json").output)
    let history = perfkit.run(["history", "work", "--metric", "wall"] + elsewhere)
    #expect(history.status == .done, "\(history.errors)")
    let again = perfkit("hub", "push", "--all", "--hub", url)
    #expect(again.says("pushed 0 runs") && again.says("1 was already there"), "\(again.errors)")
    let repeated = perfkit.run(["hub", "pull", id, "--hub", url] + elsewhere)
    #expect(repeated.says("1 was already in the store"), "\(repeated.errors)")
    _ = perfkit("run", "work", "--no-report", "--hub", url)
    let third = perfkit("hub", "push", "--all", "--hub", url)
    #expect(third.says("2 were already there"), "\(third.errors)")
  }

  @Test func `the hub confirms its effects in JSON`() throws {
    _ = perfkit("run", "work", "--no-report", "--no-profile")
    func json(_ words: [String], _ kind: String) throws -> JSONValue {
      let result = perfkit.run(words + ["--format", "json"])
      #expect(result.status == .done, "\(words): \(result.errors)")
      let document = try Self.json(result)
      try expect(document, matches: kind)
      return document
    }
    let made = try json(["hub", "init", url], "hub-init")
    #expect(made["tables"] == made["previous"])
    #expect(try json(["hub", "push", "--all", "--hub", url], "transfer")["runs"] == .int(1))
    #expect(try json(["hub", "pull", "--hub", url] + elsewhere, "transfer")["runs"] == .int(1))
    let submitted = try json(
      [
        "hub", "submit", "diff", "a", "b", "--scenario", "work", "--repository",
        "https://example.org/a.git", "--hub", url,
      ], "job")
    #expect(submitted["state"] == "waiting")
    guard case .int(let number)? = submitted["job"] else {
      Issue.record("the job has no number: \(submitted)")
      return
    }
    let cancelled = try json(["hub", "cancel", "\(number)", "--hub", url], "job")
    #expect(cancelled["job"] == .int(number) && cancelled["state"] == "cancelled")
  }

  @Test func `a comparison is pushed with the runs of both sides`() throws {
    let diff = perfkit(
      "diff", "--hub", url, "--max-pairs", "11", "--no-profile", "--", "true", "--", "true")
    #expect(diff.says("pushed 2 runs, 1 comparison"), "\(diff.errors)")
    let pull = perfkit.run(["hub", "pull", "--hub", url] + elsewhere)
    #expect(pull.says("pulled 2 runs, 1 comparison"), "\(pull.errors)")
    let compared = { (store: [String]) in
      perfkit.run(["show", "latest", "--format", "json"] + store).output
    }
    #expect(!compared(elsewhere).isEmpty)
    #expect(
      perfkit.run(["list", "comparisons"] + elsewhere).output
        == perfkit("list", "comparisons").output)
  }

  @Test func `a gate pushes its runs and keeps its exit status`() throws {
    try perfkit.scenario(
      "work",
      """
      scenario: work
      summary: A command.
      command: [sh, -c, exit 0]
      iterations: 6
      budgets: [wall <= 1 ns]
      """)
    let gate = perfkit("gate", "--budgets-only", "--no-profile", "--hub", url)
    #expect(gate.status == .gateFailed, "\(gate.errors)")
    #expect(gate.says("pushed 1 run"), "\(gate.errors)")
    #expect(try count("runs") == "1")
  }

  @Test func `the variable names the hub, and an empty one none`() throws {
    let run = ["run", "work", "--no-report", "--no-profile"]
    _ = perfkit.run(run, variables: ["PERFKIT_HUB": url])
    #expect(try count("runs") == "1")
    try "build: [make]\nhub: \(url)\n".write(
      toFile: perfkit.folder("perfkit.yml"), atomically: true, encoding: .utf8)
    _ = perfkit.run(run)
    #expect(try count("runs") == "2")
    let silent = perfkit.run(run, variables: ["PERFKIT_HUB": ""])
    #expect(try count("runs") == "2")
    #expect(!silent.errors.contains("pushed"))
  }

  // MARK: - Failures

  @Test func `a push that fails keeps the run, the exit status and a command to repeat it`() throws
  {
    let wrong = postgres.url(url, user: "secured:wrong%20horse")
    let run = perfkit("run", "work", "--no-report", "--no-profile", "--hub", wrong)
    #expect(run.status == .done && run.output.contains("wall"))
    #expect(run.says("warning: the runs are not on the hub, but in '.perfkit/perfkit.sqlite'"))
    #expect(run.says("password authentication failed for user \"secured\""), "\(run.errors)")
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    let id = try #require(store.headers().first?.id)
    let command = try #require(run.errors.split(separator: "\n").last)
    #expect(command.hasPrefix("  perfkit hub push --hub ") && command.hasSuffix(" \(id)"))
    // The password appears neither in messages nor in the store.
    #expect(!run.errors.contains("horse") && !run.output.contains("horse"))
    #expect(try !store.run(id: id).command.joined().contains("horse"))
    #expect(try store.run(id: id).command.contains { $0.contains("secured@") })
    // The printed command works as soon as the hub does.
    let words = shellWords(
      command.replacingOccurrences(of: "'", with: "").replacingOccurrences(
        of: "secured@", with: "postgres@"))
    let later = perfkit.run(Array(words.dropFirst()))
    #expect(later.says("pushed 1 run"), "\(later.errors)")
  }

  @Test func `a reader who pushes is told so, and the run is kept`() throws {
    let reader = postgres.url(url, user: "secured:correct%20horse")
    let run = perfkit("run", "work", "--no-report", "--no-profile", "--hub", reader)
    #expect(run.status == .done && run.says("the role has too few rights"), "\(run.errors)")
    #expect(run.says("permission denied for table runs"), "\(run.errors)")
    #expect(!run.errors.contains("horse"))
    #expect(perfkit("hub", "list", "--hub", reader).status == .done)
    #expect(perfkit("show", "latest").status == .done)
  }

  @Test func `a wrong address is refused before the first launch`() throws {
    for words in [
      ["run", "work", "--no-report"], ["gate", "--budgets-only"],
      ["diff", "--", "true", "--", "true"],
    ] {
      let place = words.firstIndex(of: "--") ?? words.count
      let result = perfkit.run(Array(words[..<place] + ["--hub", "db:s3cret"] + words[place...]))
      #expect(result.status == .usage, "\(words): \(result.errors)")
      #expect(result.says("the address of the hub is invalid") && !result.errors.contains("s3cret"))
    }
    #expect(!FileManager.default.fileExists(atPath: perfkit.folder(".perfkit/perfkit.sqlite")))
  }

  @Test func `a project file with a password is refused`() throws {
    try "build: [make]\nhub: postgresql://ci:s3cret@db/perfkit\n".write(
      toFile: perfkit.folder("perfkit.yml"), atomically: true, encoding: .utf8)
    let run = perfkit("run", "work", "--no-report")
    #expect(run.status == .usage && run.says("perfkit.yml names a hub with a password"))
    #expect(!run.errors.contains("s3cret"))
  }

  @Test func `verbs of the hub without a hub name the three ways to name one`() throws {
    for words in [["push", "--all"], ["pull"], ["list"], ["prune", "--keep", "1"]] {
      _ = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
      let result = perfkit.run(["hub"] + words)
      #expect(result.status == .usage, "\(words)")
      for way in ["--hub", "PERFKIT_HUB", "perfkit.yml"] { #expect(result.says(way), "\(words)") }
    }
  }

  @Test func `a pull from a hub that cannot be reached makes no store`() throws {
    let nowhere = "postgresql:///perfkit?host=\(perfkit.folder.path)"
    let pull = perfkit.run(["hub", "pull", "--hub", nowhere] + elsewhere)
    #expect(pull.status == .failed && pull.says("cannot reach hub '\(nowhere)'"), "\(pull.errors)")
    #expect(!FileManager.default.fileExists(atPath: perfkit.folder("elsewhere.sqlite")))
  }

  // MARK: - Baselines and space

  @Test func `a gate judges against a baseline that was pulled`() throws {
    for _ in 0..<5 { _ = perfkit("run", "work", "--no-report", "--no-profile", "--hub", url) }
    let runs = (0..<5).map { "latest~\($0)" }
    #expect(perfkit.run(["baseline", "save", "main"] + runs).status == .done)
    let push = perfkit("hub", "push", "baseline:main", "--hub", url)
    #expect(push.says("0 decisions and 1 baseline"), "\(push.errors)")
    let pull = perfkit.run(["hub", "pull", "main", "--hub", url] + elsewhere)
    #expect(pull.says("1 baseline"), "\(pull.errors)")
    let gate = perfkit.run(
      ["gate", "work", "--against", "main", "--no-profile", "--inconclusive", "pass"] + elsewhere)
    #expect([.done, .gateFailed].contains(gate.status), "\(gate.output)\(gate.errors)")
  }

  @Test func `prune removes old runs and says so in text and JSON`() throws {
    for _ in 0..<3 { _ = perfkit("run", "work", "--no-report", "--hub", url) }
    let thinned = perfkit("hub", "prune", "--keep-profiles", "1", "--hub", url, "--format", "json")
    try expect(Self.json(thinned), matches: "hub-prune")
    #expect(try thinned.json()["removed"] as? [String] == [])
    let pruned = perfkit("hub", "prune", "--keep", "1", "--hub", url)
    #expect(pruned.output.split(separator: "\n").count == 2, "\(pruned.output)")
    #expect(pruned.says("removed 2 runs"), "\(pruned.errors)")
    #expect(try count("runs") == "1")
  }
}
