import Foundation
import PerfGate
import PerfReport
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Jobs of a hub and the runner that makes their comparisons.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct RunnerVerbTests {
  private let repository: TestRepository
  private let postgres: TestPostgres
  private let url: String
  /// The command on the machine of the runner.
  private let machine: TestCommand
  /// The command of the developer, in the checkout.
  private var perfkit: TestCommand { repository.perfkit }

  init() throws {
    repository = try TestRepository(steps: 5)
    postgres = try #require(TestPostgres.shared)
    url = try postgres.database()
    machine = try TestCommand()
    #expect(machine("hub", "init", url).status == .done)
  }

  private func submit(_ words: String...) throws -> String {
    let result = perfkit.run(
      ["hub", "submit", "diff"] + words + [
        "--scenario", "work", "--max-pairs", "11", "--no-profile", "--hub", url,
      ])
    try #require(result.status == .done, "\(result.errors)")
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func run(allow: String? = nil, _ words: String...) -> TestCommand.Result {
    machine.run(
      ["runner", "--once", "--allow", allow ?? repository.root, "--hub", url] + words,
      variables: ["HOME": machine.folder.path])
  }

  private func wait(_ job: String) -> TestCommand.Result {
    perfkit("hub", "wait", job, "--max-time", "1s", "--hub", url, "--format", "json")
  }

  /// Commits a program that needs three times the time.
  private func slowDown() throws {
    try repository.program(decode: 25, layout: 5)
    try repository.commit("Slow")
  }

  @Test func `a runner measures the submitted revisions, and the submitter gets the verdict`()
    throws
  {
    try slowDown()
    let job = try submit("HEAD~1", "HEAD", "--repository", repository.root, "--priority", "1")
    let runner = run()
    #expect(runner.status == .gateFailed, "\(runner.errors)")
    let waited = wait(job)
    #expect(waited.status == .gateFailed, "\(waited.errors)")
    let document = try waited.json()
    #expect(document["state"] as? String == "done" && document["status"] as? Int == 1)
    #expect((document["message"] as? String)?.hasPrefix("Regressed") == true)
    let events = try #require(document["events"] as? [[String: Any]])
    #expect(events.map { $0["event"] as? String } == ["submitted", "taken", "done"])
    // The comparison is on the hub with both runs.
    let comparison = try #require(document["comparison"] as? String)
    let pull = perfkit("hub", "pull", comparison, "--hub", url)
    #expect(pull.says("pulled 2 runs, 1 comparison"), "\(pull.errors)")
    let list = perfkit("hub", "jobs", "--hub", url, "--format", "json")
    try expect(try #require(JSONValue(parsing: list.output.utf8)), matches: "jobs")
    // The path of the repository is longer than a line.
    let jobs = perfkit("hub", "jobs", "--hub", url)
    #expect(jobs.prints("Regressed") && jobs.wideLines == [], "\(jobs.output)")
    #expect(run().status == .inconclusive)
  }

  @Test func `a job of a checkout has the commits of its names and its remote`() throws {
    try slowDown()
    let refused = perfkit(
      "hub", "submit", "diff", "HEAD~1", "HEAD", "--scenario", "work", "--hub", url)
    #expect(refused.status == .usage && refused.says("has no remote"), "\(refused.errors)")
    try repository.git("remote", "add", "origin", "https://example.org/a.git")
    for user in ["reader:s3cret", "s3cret"] {
      try repository.git("remote", "set-url", "origin", "https://\(user)@example.org/a.git")
      let secret = perfkit(
        "hub", "submit", "diff", "HEAD~1", "HEAD", "--scenario", "work", "--hub", url)
      #expect(secret.status == .usage && !secret.errors.contains("s3cret"), "\(secret.errors)")
    }
    try repository.git("remote", "set-url", "origin", "https://example.org/a.git")
    _ = try submit("HEAD~1", "main")
    let list = try #require(
      JSONValue(parsing: perfkit("hub", "jobs", "--hub", url, "--format", "json").output.utf8))
    let row = try #require(list.elements.first)
    #expect(row["repository"]?.text == "https://example.org/a.git")
    let head = try repository.git("rev-parse", "HEAD")
    #expect(row["candidate"]?.text == head)
    try repository.write("words", "one\n")
    let changed = perfkit(
      "hub", "submit", "diff", "HEAD", "WORKTREE", "--scenario", "work", "--hub", url)
    #expect(changed.status == .usage && changed.says("Commit and push"), "\(changed.errors)")
  }

  @Test func `a runner refuses a repository that is not on its list`() throws {
    let job = try submit("HEAD", "HEAD", "--repository", repository.root)
    #expect(run(allow: "https://example.org/*").status == .failed)
    let waited = wait(job)
    #expect(waited.status == .failed)
    #expect(try waited.json()["state"] as? String == "failed")
    #expect(waited.output.contains("does not run the code of repository"), "\(waited.output)")
    // A prefix does not reach another folder.
    let other = try submit("HEAD", "HEAD", "--repository", "\(repository.root)/../x")
    #expect(run(allow: "\(repository.root)/*").status == .failed)
    #expect(wait(other).output.contains("does not run the code"))
  }

  @Test func `a missing revision, repository or scenario fails the job with the reason`() throws {
    let missing = try submit("HEAD", "nowhere", "--repository", repository.root)
    #expect(run().status == .failed)
    #expect(wait(missing).output.contains("has no revision 'nowhere'"), "\(wait(missing).output)")
    let option = try submit("HEAD", "HEAD", "--repository", "/no/such/repository")
    #expect(run(allow: "/no/such/repository").status == .failed)
    #expect(wait(option).output.contains("cannot fetch repository"), "\(wait(option).output)")
    let result = perfkit(
      "hub", "submit", "diff", "HEAD", "HEAD", "--scenario", "play", "--repository",
      repository.root,
      "--hub", url)
    #expect(result.status == .done)
    #expect(run().status == .failed)
    let job = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(wait(job).output.contains("play"), "\(wait(job).output)")
    #expect(!wait(job).output.contains("plan:"), "the lines of progress are no reason")
  }

  @Test func `the build and the program of a job have no variables of libpq`() throws {
    let seen = machine.folder("seen")
    try repository.write("build.sh", TestRepository.build + "(echo build; env) >> '\(seen)'\n")
    try repository.write(
      "work.c",
      """
      #include <stdio.h>
      extern char **environ;
      int main(void) {
        FILE *file = fopen("\(seen)", "a");
        if (!file) return 2;
        fputs("program\\n", file);
        for (char **variable = environ; *variable; variable++) fprintf(file, "%s\\n", *variable);
        return fclose(file);
      }
      """)
    try repository.commit("Show the environment")
    let job = try submit("HEAD~1", "HEAD", "--repository", repository.root)
    let runner = machine.run(
      ["runner", "--once", "--allow", repository.root, "--hub", url],
      variables: [
        "HOME": machine.folder.path, "LC_ALL": "C", "PGPASSWORD": "s3cret", "PGPASSFILE": "/s3cret",
        "PGSERVICE": "s3cret",
      ])
    #expect(try wait(job).json()["state"] as? String == "done", "\(runner.errors)")
    let lines = Set(try machine.folder.text("seen").split(separator: "\n").map(String.init))
    #expect(lines.isSuperset(of: ["build", "program", "LC_ALL=C", "PERFKIT_HUB="]))
    #expect(lines.filter { $0.hasPrefix("PG") || $0.contains("s3cret") } == [])
  }

  @Test func `the copies of a runner are in a folder for its user alone`() throws {
    _ = try submit("HEAD", "nowhere", "--repository", repository.root)
    #expect(run().status == .failed)
    for name in [".perfkit", ".perfkit/runner"] {
      let facts = try FileManager.default.attributesOfItem(atPath: machine.folder(name))
      #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o700, "\(name)")
    }
  }

  @Test func `a job that no runner takes is still waiting when the time is over`() throws {
    let job = try submit("HEAD", "HEAD", "--repository", repository.root, "--machine", "moon")
    let waited = wait(job)
    #expect(waited.status == .inconclusive && waited.says("is still waiting"), "\(waited.errors)")
    #expect(run().status == .inconclusive)
    #expect(perfkit("hub", "cancel", job, "--hub", url).says("is cancelled"))
    #expect(wait(job).status == .failed)
    #expect(perfkit("hub", "wait", "99", "--hub", url).says("has no job 99"))
  }

  /// Commits two programs whose very first launch writes to a witness and waits; all later ones end at once.
  private func commitPrograms(_ witness: ProcessWitness, thatWait statement: String) throws {
    let began = machine.folder("began")
    for value in [1, 2] {
      try repository.write(
        "work.c",
        """
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(void) {
          static volatile int value = \(value);
          if (access("\(began)", F_OK) != 0) {
            fclose(fopen("\(began)", "w"));
            int end = open("\(witness.path)", O_WRONLY);
            if (write(end, "x", 1) == 1) { \(statement); }
          }
          return value < 0;
        }
        """)
      try repository.commit("Value \(value)")
    }
  }

  /// Starts a runner that takes one job of a hub, or all of them, as a process of its own.
  private func startRunner(
    of url: String, _ options: String..., once: Bool = true, errors: Any = FileHandle.nullDevice
  ) throws -> Process {
    let runner = Process()
    runner.executableURL = URL(fileURLWithPath: TestCommand.programs + "/perfkit")
    runner.currentDirectoryURL = URL(fileURLWithPath: machine.folder.path)
    runner.arguments =
      ["runner", "--allow", repository.root, "--hub", url] + (once ? ["--once"] : []) + options
    runner.environment = [
      "HOME": machine.folder.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "",
    ]
    runner.standardOutput = FileHandle.nullDevice
    runner.standardError = errors
    try runner.run()
    return runner
  }

  @Test func `the comparison of a killed runner ends, and the next runner makes it again`() throws {
    let witness = try ProcessWitness(in: machine.folder)
    try commitPrograms(witness, thatWait: "sleep(1000)")
    let job = try submit("HEAD~1", "HEAD", "--repository", repository.root)
    let first = try startRunner(of: url)
    #expect(witness.read(within: 120) == 1, "the comparison did not begin")
    kill(first.processIdentifier, SIGKILL)
    first.waitUntilExit()
    #expect(witness.read() == 0, "a process of the comparison lives on")
    // The lease lasts a minute, for which no test waits.
    try postgres.psql("UPDATE perfkit.jobs SET lease_until = now() - interval '1 second'", in: url)
    let second = run()
    let document = try wait(job).json()
    #expect(document["state"] as? String == "done", "\(second.errors)")
    #expect(document["attempts"] as? Int == 2)
    let events = try #require(document["events"] as? [[String: Any]])
    #expect(
      events.map { $0["event"] as? String }
        == ["submitted", "taken", "lease lost", "taken", "done"])
    #expect(try postgres.psql("SELECT count(*) FROM perfkit.comparisons", in: url) == "1")
  }

  @Test func `a server that is killed and started again in a job does not stop the runner`() throws
  {
    let postgres = try TestPostgres()
    defer { postgres.end(by: SIGQUIT) }
    let url = try postgres.database()
    #expect(machine("hub", "init", url).status == .done)
    let witness = try ProcessWitness(in: machine.folder)
    let file = machine.folder("goes on")
    try commitPrograms(witness, thatWait: #"while (access("\#(file)", F_OK) != 0) usleep(10000)"#)
    let submitted = perfkit(
      "hub", "submit", "diff", "HEAD~1", "HEAD", "--repository", repository.root, "--scenario",
      "work", "--max-pairs", "11", "--no-profile", "--hub", url)
    #expect(submitted.status == .done, "\(submitted.errors)")
    let runner = try startRunner(of: url)
    #expect(witness.read(within: 120) == 1, "the comparison did not begin")
    postgres.end(by: SIGKILL)
    try postgres.start()
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    runner.waitUntilExit()
    // The lease lasts a minute: the runner still has the job, and connects again to push and to end it.
    #expect(
      try postgres.psql("SELECT state, attempts FROM perfkit.jobs", in: url) == "done|1")
    #expect(
      try postgres.psql(
        "SELECT string_agg(event, ' ' ORDER BY id) FROM perfkit.job_events", in: url)
        == "submitted taken done")
    #expect(try postgres.psql("SELECT count(*) FROM perfkit.comparisons", in: url) == "1")
    #expect(try postgres.psql("SELECT count(*) FROM perfkit.runs", in: url) == "2")
  }

  @Test func `a runner whose server stays down ends its comparison, and the next one makes it`()
    throws
  {
    let postgres = try TestPostgres()
    defer { postgres.end(by: SIGQUIT) }
    let url = try postgres.database()
    #expect(machine("hub", "init", url).status == .done)
    let witness = try ProcessWitness(in: machine.folder)
    try commitPrograms(witness, thatWait: "sleep(1000)")
    let submitted = perfkit(
      "hub", "submit", "diff", "HEAD~1", "HEAD", "--repository", repository.root, "--scenario",
      "work", "--max-pairs", "11", "--no-profile", "--hub", url)
    #expect(submitted.status == .done, "\(submitted.errors)")
    let errors = Pipe()
    let runner = try startRunner(of: url, "--lease", "2s", errors: errors)
    #expect(witness.read(within: 120) == 1, "the comparison did not begin")
    postgres.end(by: SIGKILL)
    // The runner cannot renew its lease any more.
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    runner.waitUntilExit()
    #expect(runner.terminationStatus == 2, "\(text)")
    #expect(text.contains("the lease was lost"), "\(text)")
    #expect(witness.read() == 0, "a process of the comparison lives on")
    try postgres.start()
    let second = machine(
      "runner", "--once", "--allow", repository.root, "--hub", url,
      variables: ["HOME": machine.folder.path])
    #expect(
      try postgres.psql("SELECT state, attempts FROM perfkit.jobs", in: url) == "done|2",
      "\(second.errors)")
    #expect(
      try postgres.psql(
        "SELECT string_agg(event, ' ' ORDER BY id) FROM perfkit.job_events", in: url)
        == "submitted taken lease lost taken done")
  }

  @Test func `a runner whose server is down at its start reports the server`() {
    let nowhere = "postgresql:///perfkit?host=\(machine.folder.path)"
    let runner = machine(
      "runner", "--allow", repository.root, "--hub", nowhere,
      variables: ["HOME": machine.folder.path])
    #expect(runner.status == .failed)
    #expect(runner.says("cannot reach hub '\(nowhere)'"), "\(runner.errors)")
  }

  @Test func `a runner makes one job after the other until it is stopped`() throws {
    // The same program needs no pairs.
    let jobs = try (0..<2).map { _ in
      try submit("HEAD", "HEAD", "--repository", repository.root)
    }
    let runner = try startRunner(of: url, once: false)
    defer { runner.terminate() }
    for job in jobs {
      let waited = perfkit("hub", "wait", job, "--max-time", "120s", "--hub", url)
      #expect(waited.status == .done, "\(waited.errors)")
    }
    #expect(runner.isRunning)
    runner.interrupt()
    runner.waitUntilExit()
    #expect(runner.terminationStatus == ExitStatus.interrupted.rawValue)
  }

  @Test func `a runner that is stopped gives its job back`() throws {
    let job = try submit("HEAD", "HEAD", "--repository", repository.root)
    let stopped = machine.run(
      ["runner", "--once", "--allow", repository.root, "--hub", url],
      variables: ["HOME": machine.folder.path], cancellation: Cancellation { true })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    #expect(wait(job).status == .inconclusive)
    #expect(
      try postgres.psql(
        "SELECT string_agg(event, ' ' ORDER BY id) FROM perfkit.job_events", in: url)
        == "submitted taken released")
  }
}
