import Foundation
import PerfStore
import PerfTestSupport
import Testing

/// Short forms of the parts of Scripts/reliability; those of inputs are tests with `Mutation`.
@Suite(.serialized) struct ReliabilityTests {
  @Test(arguments: ["kills", "endurance", "clocks"])
  func `a short form of the reliability script finds no fault`(part: String) throws {
    let (status, output) = try Self.run(part)
    #expect(status == 0, "\(output)")
  }

  /// The cases are in a random order by a constant seed, so that the same ones are tried each time.
  @Test(
    .enabled(if: TestCommand.hasTool("strace"), "strace is not installed"),
    arguments: ["faults", "denials"])
  func `a sample of failing and of denied system calls loses nothing and reports each failure`(
    part: String
  ) throws {
    let (status, output) = try Self.run(part)
    #expect(status == 0, "\(output)")
  }

  @Test func `ten harnesses lose no run of their common store`() throws {
    let (status, output) = try Self.run("crowd")
    #expect(status == 0, "\(output)")
  }

  @Test func `a run beside busy loops is right or marked, and its gate does not fail`() throws {
    let (status, output) = try Self.run("load")
    #expect(status == 0, "\(output)")
  }

  @Test(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
  func `a hub whose server and runners are killed loses nothing`() async throws {
    // The script often waits for the end of a lease, which would keep a thread from other tests.
    let (status, output) = try await onOwnThread { try Self.run("hub") }
    #expect(status == 0, "\(output)")
  }

  @Test(.enabled(if: TestCommand.hasTool("strace"), "strace is not installed"))
  func `a process that cannot start a thread reports why`() throws {
    let (status, output) = try Self.listMetrics(failing: "clone3:error=EPERM")
    #expect(status == 2)
    #expect(
      output.contains("cannot start a thread: Operation not permitted"), "\(output)")
  }

  /// The loader reads the first link.
  @Test(.enabled(if: TestCommand.hasTool("strace"), "strace is not installed"))
  func `a process without /proc reports what to mount`() throws {
    let (status, output) = try Self.listMetrics(failing: "readlink:error=ENOENT:when=2+")
    #expect(status == 2)
    #expect(output.contains("mount it with 'mount -t proc proc /proc'"), "\(output)")
  }

  /// Without these calls Dispatch traps, its event loop spins, or PerfKit's waits never end.
  @Test(
    .enabled(if: TestCommand.hasTool("strace"), "strace is not installed"),
    arguments: [
      "epoll_create1", "epoll_ctl", "epoll_wait", "eventfd2", "poll", "waitid", "wait4",
    ],
    ["EPERM", "ENOSYS"])
  func `a denied call of the event loop or a wait is reported with its name and the filter`(
    call: String, error: String
  ) throws {
    let (status, output) = try Self.listMetrics(failing: "\(call):error=\(error)")
    #expect(status == 2)
    let reason = error == "EPERM" ? "Operation not permitted" : "Function not implemented"
    #expect(
      output.contains("the system call \(call) fails: \(reason). Probably a seccomp filter"),
      "\(output)")
  }

  @Test(.enabled(if: TestCommand.hasTool("strace"), "strace is not installed"))
  func `an event loop without descriptors is reported with the limit of open files`() throws {
    let (status, output) = try Self.listMetrics(failing: "epoll_create1:error=EMFILE")
    #expect(status == 2)
    #expect(
      output.contains("the system call epoll_create1 fails: Too many open files. Raise the limits"),
      "\(output)")
  }

  @Test(arguments: [
    ("ulimit -n 10", "the limit of open files is 10. Raise it to 16 or more (ulimit -n)."),
    // The run store does not fit.
    ("ulimit -f 1", "perfkit.sqlite' failed: disk I/O error"),
  ])
  func `a run under a low limit ends with a message`(limit: String, message: String) throws {
    let folder = try TemporaryFolder()
    let (status, output) = try DocumentTests.run([
      "sh", "-c",
      "cd '\(folder.path)'; \(limit); exec \"$0\" run --no-report --iterations 1 -- true",
      "\(TestPrograms.folder)/perfkit",
    ])
    #expect(status == 2, "\(output)")
    #expect(output.contains(message), "\(output)")
  }

  @Test(.enabled(if: TestCommand.hasTool("strace"), "strace is not installed"))
  func `a signal during the first wait is no reason to stop`() throws {
    let (status, output) = try Self.listMetrics(failing: "poll:error=EINTR:when=1")
    #expect(status == 0, "\(output)")
  }

  /// A document is linked when it is new, and renamed as well when it replaces another.
  @Test(
    .enabled(if: TestCommand.hasTool("strace"), "strace is not installed"),
    arguments: [(call: "linkat", isNew: true), ("linkat", false), ("rename", false)])
  func `a command that is killed while it writes a document leaves no part`(
    call: String, isNew: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let list = ["\(TestPrograms.folder)/perfkit", "list", "metrics", "--output", folder("metrics")]
    if !isNew { #expect(try DocumentTests.run(list).0 == 0) }
    _ = try DocumentTests.run(
      ["strace", "-f", "-q", "-o", folder("calls"), "-e", "inject=\(call):signal=KILL"] + list)
    let calls = try String(contentsOfFile: folder("calls"), encoding: .utf8)
    #expect(calls.contains("killed by SIGKILL"), "\(calls.suffix(500))")
    #expect(try DocumentTests.run(list).0 == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == ["calls", "metrics"])
  }

  /// An export that is killed after its file has the name leaves nothing, since nobody exports to that file again.
  @Test(.enabled(if: TestCommand.hasTool("strace"), "strace is not installed"))
  func `an export removes its parts before its file gets the name`() throws {
    let folder = try TemporaryFolder()
    let store = folder("runs.sqlite")
    try RunStore(path: store).save(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "one1"))
    let (status, output) = try DocumentTests.run([
      "strace", "-f", "-qq", "-o", folder("calls"), "-e", "trace=/^(rename|unlink)",
      "\(TestPrograms.folder)/perfkit", "store", "export", folder("out.sqlite"), "--store", store,
    ])
    #expect(status == 0, "\(output)")
    let calls = try String(contentsOfFile: folder("calls"), encoding: .utf8)
      .split(separator: "\n").filter { $0.hasSuffix(" = 0") && $0.contains("out.sqlite.") }
    #expect(calls.contains { $0.contains("unlink") })
    #expect(calls.last?.contains("rename") == true, "\(calls)")
  }

  /// Lists the metrics while a call fails as `strace --inject` describes.
  private static func listMetrics(failing fault: String) throws -> (status: Int32, output: String) {
    try DocumentTests.run([
      "strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(fault)",
      "\(TestPrograms.folder)/perfkit", "list", "metrics",
    ])
  }

  private static func run(_ part: String) throws -> (status: Int32, output: String) {
    // Other tests run at the same time, so only commands that wait indefinitely exceed the limit.
    try DocumentTests.run([
      "env", "-C", DocumentFile.root.path, "PERFKIT_PROGRAMS=\(TestPrograms.folder)",
      "Scripts/reliability", part, "--limit", "60",
    ])
  }
}
